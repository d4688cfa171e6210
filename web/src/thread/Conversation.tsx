import { useVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, type ReactNode, type Ref } from "react";
import { bringIntoSight } from "../ui/scroll";
import { AnswerMessage } from "./AnswerMessage";
import { exchangesOf, type Exchange } from "./exchanges";
import { QuestionMessage } from "./QuestionMessage";
import type { ThreadState } from "./useThread";

export interface ConversationHandle {
  toEnd: () => void;
}

interface Props {
  threadId: string;
  state: ThreadState;
  onAtEnd: (atEnd: boolean) => void;
  handle: Ref<ConversationHandle>;
  /** Shown above the first exchange. */
  children: ReactNode;
}

/** Where a thread was left, and how high its exchanges were: it opens there again, at once. */
const left = new Map<string, { top: number; sizes: VirtualItem[] }>();

// So many are all in the page, where the browser's own search finds them; of
// more only those in sight, and some around them.
const few = 60;

/**
 * The exchanges of a thread. It opens where it was left, else at its last
 * question; a new question moves to the top and stays there while its answer
 * grows below it.
 */
export function Conversation({ threadId, state, onAtEnd, handle, children }: Props) {
  const { turns, messages, runningId } = state;
  const scroller = useRef<HTMLDivElement>(null);
  const exchanges = useMemo(() => exchangesOf(turns, runningId, threadId), [turns, runningId, threadId]);
  const last = exchanges.length - 1;

  const rows = useVirtualizer({
    count: exchanges.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 420,
    getItemKey: (i) => exchanges[i]?.key ?? i,
    overscan: exchanges.length <= few ? few : 3,
    initialOffset: () => left.get(threadId)?.top ?? 0,
    initialMeasurementsCache: left.get(threadId)?.sizes ?? [],
  });

  const lastKey = exchanges[last]?.key;
  const placed = useRef<string>(undefined);
  useLayoutEffect(() => {
    const was = placed.current;
    if (lastKey === undefined || was === lastKey) return;
    placed.current = lastKey;
    const there = was === undefined ? left.get(threadId) : undefined;
    if (there) {
      // The virtualizer has set it where the exchanges were known at once, and could not where they come only now.
      if (scroller.current) scroller.current.scrollTop = there.top;
      return;
    }
    const element = scroller.current?.querySelector(`.exchange[data-index="${last}"]`);
    if (was !== undefined && element) bringIntoSight(scroller.current, element, "start", true);
    else rows.scrollToIndex(last, { align: "start" });
  }, [lastKey, last, threadId, rows]);

  useEffect(() => {
    const el = scroller.current;
    if (!el) return;
    const look = () => onAtEnd(el.scrollHeight - el.scrollTop - el.clientHeight < 48);
    const grows = new ResizeObserver(look);
    if (el.firstElementChild) grows.observe(el.firstElementChild);
    el.addEventListener("scroll", look, { passive: true });
    return () => {
      el.removeEventListener("scroll", look);
      grows.disconnect();
    };
  }, [onAtEnd]);

  useLayoutEffect(() => {
    const el = scroller.current;
    return () => {
      // The element is asked, which is in the page until this has run: its events come a frame late.
      if (el && placed.current !== undefined) left.set(threadId, { top: el.scrollTop, sizes: rows.takeSnapshot() });
    };
  }, [rows, threadId]);

  useImperativeHandle(handle, () => ({ toEnd: () => rows.scrollToIndex(rows.options.count - 1, { align: "end" }) }), [rows]);

  return (
    <div className="scroller" ref={scroller} tabIndex={-1}>
      <div className="column">
        {children}
        <div className="exchanges" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((item) => {
            const exchange = exchanges[item.index];
            return exchange ? (
              <section
                key={item.key}
                ref={rows.measureElement}
                data-index={item.index}
                data-last={item.index === last}
                className="exchange"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <ExchangeView exchange={exchange} messages={messages} busy={runningId !== undefined} />
              </section>
            ) : null;
          })}
        </div>
      </div>
    </div>
  );
}

function ExchangeView({ exchange: { question, answers }, messages, busy }: { exchange: Exchange; messages: ThreadState["messages"]; busy: boolean }) {
  return (
    <>
      {question && <QuestionMessage message={question.message} siblings={question.siblings} messages={messages} busy={busy} />}
      {answers.map((m) => (
        <AnswerMessage key={m.id} message={m} question={question?.message} busy={busy} />
      ))}
    </>
  );
}
