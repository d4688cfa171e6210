import { Toast } from "radix-ui";
import { t } from "../strings";
import { Store, useStore } from "./store";
import { noteMs, undoMs } from "./times";

export interface ToastNote {
  id: number;
  text: string;
  hint?: string;
  tone: "plain" | "bad";
  undo?: () => void;
  /** Called when it is no longer shown, whatever the reason. */
  onClosed?: () => void;
  ms: number;
}

export const toasts = new Store<ToastNote[]>([]);
let next = 1;

/** Shows a note, and answers its id. */
export function toast(note: Omit<ToastNote, "id" | "tone" | "ms"> & Partial<ToastNote>): number {
  for (const old of toasts.get().slice(0, -most + 1)) drop(old.id);
  toasts.update((list) => [...list, { tone: "plain", ms: note.undo ? undoMs : noteMs, ...note, id: next }]);
  return next++;
}

/** As many are shown at once. */
const most = 4;

/** Takes a note away. */
export function drop(id: number): void {
  const note = toasts.get().find((n) => n.id === id);
  toasts.update((list) => list.filter((n) => n.id !== id));
  note?.onClosed?.();
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
