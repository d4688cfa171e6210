// What a screen reader is told of things that happen by themselves.

import { Store, useStore } from "./store";

const said = new Store<{ text: string; count: number }>({ text: "", count: 0 });

export function announce(text: string): void {
  if (text !== "") said.update(({ count }) => ({ text, count: count + 1 }));
}

export function Announcer() {
  const { text, count } = useStore(said);
  // A key per announcement, so that the same words twice are read twice.
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      <span key={count}>{text}</span>
    </div>
  );
}
