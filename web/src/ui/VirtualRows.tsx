import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type ReactNode } from "react";

interface Props {
  count: number;
  keyOf: (i: number) => string;
  /** What a row is high before it was measured, in pixels. */
  height: number;
  className: string;
  /** Its name, where its rows are all items of one list. */
  label?: string;
  /** There are no more rows than these. */
  complete: boolean;
  /** Told which rows are in sight. */
  onShown?: (from: number, to: number) => void;
  children: (i: number) => ReactNode;
}

/** Rows of which only those in sight exist: lists grow to many thousands. */
export function VirtualRows({ count, keyOf, height, label, className, complete, onShown, children }: Props) {
  const list = label !== undefined;
  const scroller = useRef<HTMLDivElement>(null);
  const [atTop, setAtTop] = useState(true);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    getItemKey: keyOf,
    // Whoever reads further down is not moved by rows that come in above; at the top they are seen coming.
    anchorTo: atTop ? "start" : "end",
    scrollEndThreshold: -1,
  });
  const items = rows.getVirtualItems();
  const from = items[0]?.index ?? 0;
  const to = (items.at(-1)?.index ?? -1) + 1;
  const told = useRef(onShown);
  useEffect(() => {
    told.current = onShown;
  });
  useEffect(() => {
    told.current?.(from, to);
  }, [from, to, count]);
  return (
    <div
      className={className}
      ref={scroller}
      tabIndex={list && count > 0 ? 0 : undefined}
      role={list ? "list" : undefined}
      aria-label={label}
      onScroll={(e) => setAtTop(e.currentTarget.scrollTop <= 0)}
    >
      <div className="rows-sizer" style={{ height: rows.getTotalSize() }} role={list ? "presentation" : undefined}>
        {items.map((item) => (
          <div
            key={item.key}
            ref={rows.measureElement}
            data-index={item.index}
            className="row-place"
            role={list ? "listitem" : undefined}
            aria-setsize={list ? (complete ? count : -1) : undefined}
            aria-posinset={list ? item.index + 1 : undefined}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {children(item.index)}
          </div>
        ))}
      </div>
    </div>
  );
}
