import { Tooltip } from "radix-ui";
import type { ComponentProps, ReactNode } from "react";

interface Props extends Omit<ComponentProps<"button">, "aria-label" | "title"> {
  label: string;
  keys?: string;
  children: ReactNode;
}

/** A button that is only a picture: its words are in the tooltip and for screen readers. */
export function IconButton({ label, keys, children, className = "", ...rest }: Props) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>
        <button type="button" className={`icon-button ${className}`} aria-label={label} {...rest}>
          {children}
        </button>
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tooltip" sideOffset={6} collisionPadding={8}>
          {label}
          {keys && <kbd>{keys}</kbd>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
