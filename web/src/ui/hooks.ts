import { useEffect, useRef, useState, useSyncExternalStore } from "react";

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (tell) => {
      const media = matchMedia(query);
      media.addEventListener("change", tell);
      return () => media.removeEventListener("change", tell);
    },
    () => matchMedia(query).matches,
  );
}

/** Room for one column only: side panels become sheets over it. */
export const narrow = "(max-width: 56.24rem)";

function tellVisibility(tell: () => void): () => void {
  document.addEventListener("visibilitychange", tell);
  return () => document.removeEventListener("visibilitychange", tell);
}

export function usePageVisible(): boolean {
  return useSyncExternalStore(tellVisibility, () => !document.hidden);
}

/** Calls handler for an event of the window as long as the component lives. */
export function useWindowEvent<K extends keyof WindowEventMap>(name: K, handler: (e: WindowEventMap[K]) => void): void {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => {
    const listen = (e: WindowEventMap[K]) => latest.current(e);
    window.addEventListener(name, listen);
    return () => window.removeEventListener(name, listen);
  }, [name]);
}

/** A value once it has stayed the same for a while: what is typed, when the typing pauses. */
export function useSettled<T>(value: T, ms = 180): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
