import { CopyButton } from "./CopyButton";

/** A command to run in a terminal, ready to be copied. */
export function Command({ text }: { text: string }) {
  return (
    <div className="command">
      <code>{text}</code>
      <CopyButton text={() => text} />
    </div>
  );
}
