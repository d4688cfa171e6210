import { Toast } from "radix-ui";
import { t } from "../strings";
import { Store, useStore } from "./store";

export interface ToastNote {
  id: number;
  text: string;
  hint?: string;
  tone: "plain" | "bad";
  undo?: () => void;
  ms: number;
}

const toasts = new Store<ToastNote[]>([]);
let next = 1;

export function toast(note: Omit<ToastNote, "id" | "tone" | "ms"> & Partial<ToastNote>): void {
  toasts.update((list) => [...list.slice(-3), { tone: "plain", ms: note.undo ? undoMs : 6000, ...note, id: next++ }]);
}

/** How long something deleted can be had back. */
export const undoMs = 7000;

function drop(id: number): void {
  toasts.update((list) => list.filter((n) => n.id !== id));
}

export function Toasts() {
  const list = useStore(toasts);
  return (
    <Toast.Provider swipeDirection="down">
      {list.map((n) => (
        <Toast.Root key={n.id} className="toast" data-tone={n.tone} duration={n.ms} onOpenChange={(open) => !open && drop(n.id)}>
          <Toast.Description className="toast-text">
            {n.text}
            {n.hint && <span className="toast-hint">{n.hint}</span>}
          </Toast.Description>
          {n.undo && (
            <Toast.Action altText={t.undo} asChild>
              <button type="button" className="button quiet" onClick={n.undo}>
                {t.undo}
              </button>
            </Toast.Action>
          )}
        </Toast.Root>
      ))}
      <Toast.Viewport className="toasts" />
    </Toast.Provider>
  );
}
