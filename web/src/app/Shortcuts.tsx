import { Dialog } from "radix-ui";
import { useLayoutEffect } from "react";
import { t } from "../strings";
import { Store, useStore } from "../ui/store";
import { finderOpen } from "./Finder";
import { closeSource, go, here } from "./router";

export const shortcutsOpen = new Store(false);

const mac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.userAgent);
const mod = mac ? "⌘" : "Ctrl";

const list: [keys: string[], what: string][] = [
  [["Enter"], t.shortcuts.send],
  [["Shift", "Enter"], t.shortcuts.line],
  [["Esc"], t.shortcuts.stop],
  [[mod, "Shift", "O"], t.shortcuts.fresh],
  [[mod, "K"], t.shortcuts.find],
  [[mod, "Shift", "F"], t.shortcuts.focus],
  [[mod, "Shift", "L"], t.shortcuts.library],
  [["J", "K"], t.panel.keys.walk],
  [[mod, "F"], t.panel.keys.find],
  [[mod, "/"], t.shortcuts.help],
  [["?"], t.shortcuts.helpToo],
];

/**
 * All keys of the page have a modifier, so that none is hit by accident or by
 * voice; but "?" shows them, where nothing could be typed, and beside an open
 * source J and K walk through the footnotes (source/notes.ts).
 */
function onKey(e: KeyboardEvent): void {
  if (e.key === "Escape" && !e.defaultPrevented && here().source) {
    e.preventDefault();
    closeSource();
    return;
  }
  if (e.key === "?" && document.activeElement === document.body && !document.getElementById("question")) {
    e.preventDefault();
    shortcutsOpen.set(true);
    return;
  }
  if (!(mac ? e.metaKey : e.ctrlKey) || e.altKey || e.isComposing) return;
  const action = (e.shiftKey ? shifted : plain)[e.key.toLowerCase()];
  if (!action) return;
  e.preventDefault();
  action();
}

const plain: Record<string, () => void> = {
  k: () => finderOpen.set(!finderOpen.get()),
  "/": () => shortcutsOpen.set(!shortcutsOpen.get()),
};

/** The question's field; from where there is none, a new thread has one. */
function focusQuestion(): void {
  const field = document.getElementById("question");
  if (field) field.focus();
  else go({ view: { name: "new" } });
}

const shifted: Record<string, () => void> = {
  o: () => go({ view: { name: "new" } }),
  f: focusQuestion,
  l: () => go({ view: { name: "library" } }),
};

export function Shortcuts() {
  const open = useStore(shortcutsOpen);
  useLayoutEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <Dialog.Root open={open} onOpenChange={shortcutsOpen.set}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title>{t.shortcuts.title}</Dialog.Title>
          <dl className="keys">
            {list.map(([keys, what]) => (
              <div key={what}>
                <dt>{what}</dt>
                <dd>
                  {keys.map((k) => (
                    <kbd key={k}>{k}</kbd>
                  ))}
                </dd>
              </div>
            ))}
            <div>
              <dt>{t.shortcuts.type}</dt>
              <dd className="faint">{t.shortcuts.typeExplain}</dd>
            </div>
          </dl>
          <div className="row end">
            <Dialog.Close className="button">{t.close}</Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
