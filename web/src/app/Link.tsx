import type { ComponentProps, MouseEvent } from "react";
import { go, href, type Place } from "./router";

interface Props extends Omit<ComponentProps<"a">, "href" | "onClick"> {
  to: Place;
  current?: boolean;
}

/** A link within the page; with a modifier key the browser has its way. */
export function Link({ to, current, ...rest }: Props) {
  const onClick = (e: MouseEvent) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    go(to);
  };
  return <a {...rest} href={href(to)} aria-current={current ? "page" : undefined} onClick={onClick} />;
}
