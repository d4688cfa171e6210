/**
 * Brings an element into sight inside its scroller, and moves nothing else:
 * scrollIntoView would scroll every box around it too.
 */
export function bringIntoSight(scroller: Element | null, el: Element | null | undefined, block: "start" | "center", smooth = false): void {
  if (!scroller || !el) return;
  const room = scroller.getBoundingClientRect();
  const at = el.getBoundingClientRect();
  const spare = block === "center" ? Math.max(0, (room.height - at.height) / 2) : 0;
  scroller.scrollBy({
    top: at.top - room.top - spare,
    left: sideways(at.left - room.left, at.right - room.right),
    behavior: smooth && !matchMedia("(prefers-reduced-motion: reduce)").matches ? "smooth" : "instant",
  });
}

/** Whether an element stands, from top to bottom, in what its scroller shows. */
export function inSight(scroller: Element | null, el: Element): boolean {
  const room = scroller?.getBoundingClientRect();
  const at = el.getBoundingClientRect();
  return room === undefined || (at.top >= room.top && at.bottom <= room.bottom);
}

const margin = 12;

/** As little as brings both edges into sight, the left one first. */
function sideways(overLeft: number, overRight: number): number {
  if (overLeft < 0) return overLeft - margin;
  return overRight > 0 ? Math.min(overLeft - margin, overRight + margin) : 0;
}
