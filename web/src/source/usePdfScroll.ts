// Which part of a PDF is in sight, and how it stays there when the pages become
// wider, narrower, or turn out to be of another size than was taken for granted.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { anchorAt, pointOf, type Anchor, type Layout } from "./layout";

/** Pages in sight, from 1. */
export interface Sight {
  first: number;
  last: number;
  /** The one in the middle. */
  current: number;
}

export interface Room {
  width: number;
  height: number;
}

export function usePdfScroll(scroller: React.RefObject<HTMLDivElement | null>, layout: Layout | undefined, room: Room) {
  const [sight, setSight] = useState<Sight>(); // none until it was decided where to begin
  const anchor = useRef<Anchor>(undefined);
  const latest = useRef(layout);

  const look = useCallback(() => {
    const el = scroller.current;
    const pages = latest.current;
    if (!el || !pages) return;
    const middle = el.scrollTop + el.clientHeight / 2;
    anchor.current = anchorAt(pages, el.scrollLeft + el.clientWidth / 2, middle - inset(el));
    const to: Sight = {
      first: pages.pageAt(el.scrollTop - inset(el)),
      last: pages.pageAt(el.scrollTop + el.clientHeight - inset(el)),
      current: pages.pageAt(middle - inset(el)),
    };
    setSight((old) => (old?.first === to.first && old.last === to.last && old.current === to.current ? old : to));
  }, [scroller]);

  // The point in the middle stays in the middle. Before the browser paints, so nothing jumps.
  useLayoutEffect(() => {
    latest.current = layout;
    const el = scroller.current;
    const kept = anchor.current;
    if (!el || !layout || !kept) return;
    const { x, y } = pointOf(layout, kept);
    el.scrollTo({ left: x - el.clientWidth / 2, top: y + inset(el) - el.clientHeight / 2, behavior: "instant" });
    look();
    anchor.current = kept; // at the very beginning and end there is no scrolling to it, but it is still meant
  }, [layout, room.height, scroller, look]);

  useEffect(() => {
    const el = scroller.current;
    if (!el) return;
    el.addEventListener("scroll", look, { passive: true });
    return () => el.removeEventListener("scroll", look);
  }, [scroller, look]);

  /** Brings a page's beginning into sight. */
  const toPage = useCallback(
    (n: number) => {
      const el = scroller.current;
      if (!el || !latest.current) return;
      el.scrollTo({ top: latest.current.top(n), left: Math.max(0, (el.scrollWidth - el.clientWidth) / 2), behavior: "instant" });
      look();
    },
    [scroller, look],
  );

  /** Brings what lies in a box of the window into the middle; the beginning of what is larger than the room. */
  const center = useCallback(
    (box: DOMRect) => {
      const el = scroller.current;
      if (!el) return;
      const at = el.getBoundingClientRect();
      el.scrollBy({
        top: box.top - at.top - Math.max(margin, (el.clientHeight - box.height) / 2),
        left: box.left - at.left - Math.max(margin, (el.clientWidth - box.width) / 2),
        behavior: "instant",
      });
      look();
    },
    [scroller, look],
  );

  return { sight, toPage, center };
}

const margin = 24;

/** Blank above the first page. */
function inset(el: HTMLElement): number {
  return parseFloat(getComputedStyle(el).paddingTop) || 0;
}

/** The room that an element has for what is in it. */
export function useRoom(ref: React.RefObject<HTMLElement | null>): Room {
  const [room, setRoom] = useState<Room>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const el = ref.current;
    if (!el) return;
    const take = (width: number, height: number) => setRoom((old) => (old.width === width && old.height === height ? old : { width, height }));
    const style = getComputedStyle(el);
    take(Math.floor(el.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)), el.clientHeight);
    const observer = new ResizeObserver(([entry]) => entry && take(Math.floor(entry.contentRect.width), el.clientHeight));
    observer.observe(el);
    return () => observer.disconnect();
  }, [ref]);
  return room;
}

/** A value once it has not changed for a while; the first one at once. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
