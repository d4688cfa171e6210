import { useVirtualizer } from "@tanstack/react-virtual";
import { Fragment, useEffect, useMemo, useRef } from "react";
import type { Extract } from "../api/types";
import { t } from "../strings";
import { bringIntoSight } from "../ui/scroll";
import { blockAt, pieces, shownBlocks, tableRows, type ByteSpan, type Mark, type ShownBlock } from "./blocks";
import { Utf8Text } from "./bytes";
import { textHits, type Finding } from "./find";

interface Props {
  extract: Extract;
  /** The quote, in bytes of the extracted text. */
  quote?: ByteSpan;
  /** Where to open when there is no quote. */
  page?: number;
  finding: Finding;
  onFinding: (change: (f: Finding) => Finding) => void;
}

/** What was read from a document, with the quote marked and in sight. */
export function TextView({ extract, quote, page, finding, onFinding }: Props) {
  const text = useMemo(() => new Utf8Text(extract.text), [extract.text]);
  const blocks = useMemo(() => shownBlocks(extract, text), [extract, text]);
  const query = finding.open ? finding.query : "";
  const hits = useMemo(() => textHits(extract.text, query), [extract.text, query]);
  useEffect(() => {
    onFinding((f) => (f.hits === hits.length && f.done ? f : { ...f, hits: hits.length, done: true }));
  }, [hits, onFinding]);
  const hit = hits[finding.at];
  const marks = useMemo<readonly Mark[]>(
    () => [...(quote ? [{ ...quote, kind: "quote" as const }] : []), ...hits.map((h) => ({ ...h, kind: h === hit ? ("current" as const) : ("hit" as const) }))],
    [quote, hits, hit],
  );

  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: blocks.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => 24 + ((blocks[i]?.end ?? 0) - (blocks[i]?.start ?? 0)) / 3,
    overscan: 6,
  });

  const wanted = hit ?? quote;
  const target = useMemo(() => {
    if (wanted) return blockAt(blocks, wanted.start);
    const at = page ? (extract.page_at?.[page - 1] ?? 0) : 0;
    return at > 0 ? blockAt(blocks, at) : -1;
  }, [blocks, wanted, page, extract.page_at]);

  // The block is brought near by its estimated place, then the mark itself into
  // the middle once it exists.
  useEffect(() => {
    if (target < 0) return;
    rows.scrollToIndex(target, { align: wanted ? "center" : "start" });
    const root = scroller.current;
    if (!wanted || !root) return;
    const selector = hit ? 'mark[data-kind="current"]' : 'mark[data-kind="quote"]';
    let stop: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      const mark = root.querySelector(selector);
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
  }, [target, wanted, hit, finding.asked, blocks]);

  return (
    <div className="text-view" ref={scroller} tabIndex={0} role="region" aria-label={t.panel.text}>
      <div style={{ height: rows.getTotalSize() }} className="text-room">
        {rows.getVirtualItems().map((item) => {
          const block = blocks[item.index];
          return block ? (
            <div key={item.key} ref={rows.measureElement} data-index={item.index} className="text-place" style={{ transform: `translateY(${item.start}px)` }}>
              {block.page !== undefined && <div className="page-turn">{t.sources.page(block.page)}</div>}
              <BlockView block={block} text={text} marks={marks} />
            </div>
          ) : null;
        })}
      </div>
    </div>
  );
}

function BlockView({ block, text, marks }: { block: ShownBlock; text: Utf8Text; marks: readonly Mark[] }) {
  const inner = <Marked text={text} start={block.start} end={block.end} marks={marks} />;
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
                    <Marked text={text} start={cell.start} end={cell.end} marks={marks} />
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

export function Marked({ text, start, end, marks }: { text: Utf8Text; start: number; end: number; marks: readonly Mark[] }) {
  return pieces(text, start, end, marks).map((p, i) =>
    p.mark ? (
      <mark key={i} data-kind={p.mark}>
        {p.text}
      </mark>
    ) : (
      <Fragment key={i}>{p.text}</Fragment>
    ),
  );
}
