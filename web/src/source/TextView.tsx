import { useVirtualizer } from "@tanstack/react-virtual";
import { Fragment, useEffect, useMemo, useRef } from "react";
import type { Extract } from "../api/types";
import { t } from "../strings";
import { bringIntoSight } from "../ui/scroll";
import { blockAt, pieces, shownBlocks, tableRows, type ByteSpan, type ShownBlock } from "./blocks";
import { Utf8Text } from "./bytes";

interface Props {
  extract: Extract;
  /** The quote, in bytes of the extracted text. */
  quote?: ByteSpan;
  /** Where to open when there is no quote. */
  page?: number;
}

/** What was read from a document, with the quote marked and in sight. */
export function TextView({ extract, quote, page }: Props) {
  const text = useMemo(() => new Utf8Text(extract.text), [extract.text]);
  const blocks = useMemo(() => shownBlocks(extract, text), [extract, text]);
  const target = useMemo(() => {
    if (quote) return blockAt(blocks, quote.start);
    const at = page ? (extract.page_at?.[page - 1] ?? 0) : 0;
    return at > 0 ? blockAt(blocks, at) : -1;
  }, [blocks, quote, page, extract.page_at]);

  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: blocks.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => 24 + ((blocks[i]?.end ?? 0) - (blocks[i]?.start ?? 0)) / 3,
    overscan: 6,
  });

  // The block is brought near by its estimated place, then the mark itself into
  // the middle once it exists.
  useEffect(() => {
    if (target < 0) return;
    rows.scrollToIndex(target, { align: quote ? "center" : "start" });
    if (!quote) return;
    const root = scroller.current;
    if (!root) return;
    let stop: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      const mark = root.querySelector("mark");
      bringIntoSight(root, mark, "center");
      if (mark) stop ??= setTimeout(() => changes.disconnect(), 600); // while what is around it is measured
    };
    const changes = new MutationObserver(settle);
    changes.observe(root, { childList: true, subtree: true });
    settle();
    const release = () => changes.disconnect(); // whoever scrolls wants to be somewhere else
    root.addEventListener("wheel", release, { once: true, passive: true });
    root.addEventListener("pointerdown", release, { once: true });
    root.addEventListener("keydown", release, { once: true });
    return () => {
      clearTimeout(stop);
      changes.disconnect();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- rows is a new object each time
  }, [target, quote, blocks]);

  return (
    <div className="text-view" ref={scroller} tabIndex={0} role="region" aria-label={t.panel.text}>
      <div style={{ height: rows.getTotalSize() }} className="text-room">
        {rows.getVirtualItems().map((item) => {
          const block = blocks[item.index];
          return block ? (
            <div key={item.key} ref={rows.measureElement} data-index={item.index} className="text-place" style={{ transform: `translateY(${item.start}px)` }}>
              {block.page !== undefined && <div className="page-turn">{t.sources.page(block.page)}</div>}
              <BlockView block={block} text={text} quote={quote} />
            </div>
          ) : null;
        })}
      </div>
    </div>
  );
}

function BlockView({ block, text, quote }: { block: ShownBlock; text: Utf8Text; quote: ByteSpan | undefined }) {
  const inner = <Marked text={text} start={block.start} end={block.end} quote={quote} />;
  switch (block.kind) {
    case "heading":
      return (
        <div className="text-heading" role="heading" aria-level={Math.min(6, block.level + 2)} data-level={Math.min(block.level, 4)}>
          {inner}
        </div>
      );
    case "code":
      return <pre>{inner}</pre>;
    case "table":
      return (
        <table>
          <tbody>
            {tableRows(text, block.start, block.end).map((row, i) => (
              <tr key={i}>
                {row.map((cell, j) => (
                  <td key={j}>
                    <Marked text={text} start={cell.start} end={cell.end} quote={quote} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      );
    default:
      return <p>{inner}</p>;
  }
}

function Marked({ text, start, end, quote }: { text: Utf8Text; start: number; end: number; quote: ByteSpan | undefined }) {
  return pieces(text, start, end, quote).map((p, i) => (p.marked ? <mark key={i}>{p.text}</mark> : <Fragment key={i}>{p.text}</Fragment>));
}
