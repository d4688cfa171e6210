import { useVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, type ReactNode, type Ref } from "react";
import { loadNewer, loadNewest, loadOlder } from "../api/messages";
import { t } from "../strings";
import { bringIntoSight } from "../ui/scroll";
import { toast } from "../ui/toasts";
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

/** Where a thread was left, from which exchange counted, and how high its exchanges were: it opens there again, at once. */
const left = new Map<string, { first: string; top: number; sizes: VirtualItem[] }>();

// So many are all in the page, where the browser's own search finds them; of
// more only those in sight, and some around them.
const few = 60;

// What stands before or behind what is here is asked for when so many screens are left to its end.
const ahead = 2;

/** The room for what says that there are earlier ones, in pixels. */
const earlierRoom = 48;

/**
 * The exchanges of a thread. It opens where it was left, else at its last
 * question, or at the one that the address names a footnote of; a new question
 * moves to the top and stays there while its answer grows below it.
 */
export function Conversation({ threadId, state, onAtEnd, handle, children }: Props) {
  const { messages, runningId, earlier, later, chosen, wanted } = state;
  const scroller = useRef<HTMLDivElement>(null);
  const exchanges = useMemo(() => exchangesOf(messages, later ? undefined : runningId, threadId, earlier), [messages, runningId, threadId, earlier, later]);
  const last = exchanges.length - 1;

  const rows = useVirtualizer({
    count: exchanges.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 420,
    getItemKey: (i) => exchanges[i]?.key ?? i,
    overscan: exchanges.length <= few ? few : 3,
    paddingStart: earlier ? earlierRoom : 0,
    // What is read stays where it is when earlier exchanges come in above it; nothing follows the end by itself.
    anchorTo: "end",
    scrollEndThreshold: -1,
    initialOffset: () => left.get(threadId)?.top ?? 0,
    initialMeasurementsCache: left.get(threadId)?.sizes ?? [],
  });

  const first = exchanges[0]?.key;
  const placed = useRef<string>(undefined);
  const before = useRef<{ later: boolean; chosen: string | undefined }>({ later: false, chosen: undefined });
  const toEnd = useRef(false);
  const failed = useRef(false);
  const lastKey = exchanges[last]?.key;
  const named = exchanges.findIndex((e) => e.key === wanted || e.answers.some((m) => m.id === wanted));
  useLayoutEffect(() => {
    const was = placed.current;
    if (lastKey === undefined || was === lastKey) return;
    placed.current = lastKey;
    if (toEnd.current) {
      toEnd.current = false;
      rows.scrollToIndex(last, { align: "end" });
      return;
    }
    const there = was === undefined ? left.get(threadId) : undefined;
    if (there && there.first === first) {
      // The virtualizer has set it where the exchanges were known at once, and could not where they come only now.
      if (scroller.current) scroller.current.scrollTop = there.top;
      return;
    }
    // Another branch was chosen here, or more of the thread has come below what is read.
    if (was !== undefined && chosen !== undefined && chosen !== before.current.chosen) return;
    if (before.current.later && exchanges.some((e) => e.key === was)) return;
    if (was === undefined && named >= 0) {
      rows.scrollToIndex(named, { align: "start" });
      return;
    }
    const element = scroller.current?.querySelector(`.exchange[data-index="${last}"]`);
    if (was !== undefined && element) bringIntoSight(scroller.current, element, "start", true);
    else rows.scrollToIndex(last, { align: "start" });
  }, [lastKey, last, threadId, rows, first, later, chosen, named, exchanges]);

  useEffect(() => {
    const el = scroller.current;
    if (!el) return;
    const look = () => {
      const below = el.scrollHeight - el.scrollTop - el.clientHeight;
      onAtEnd(!later && below < 48);
      if (placed.current === undefined) return;
      if (failed.current) return; // asked for again by hand
      if (earlier && el.scrollTop < ahead * el.clientHeight) load(loadOlder(threadId), failed);
      if (later && below < ahead * el.clientHeight) load(loadNewer(threadId), failed);
    };
    look();
    const grows = new ResizeObserver(look);
    if (el.firstElementChild) grows.observe(el.firstElementChild);
    el.addEventListener("scroll", look, { passive: true });
    return () => {
      el.removeEventListener("scroll", look);
      grows.disconnect();
    };
  }, [onAtEnd, earlier, later, threadId, first]);

  const firstNow = useRef(first);
  useLayoutEffect(() => {
    // After the effect that asks what was there before.
    firstNow.current = first;
    before.current = { later, chosen };
  });
  useLayoutEffect(() => {
    const el = scroller.current;
    return () => {
      // The element is asked, which is in the page until this has run: its events come a frame late.
      if (el && placed.current !== undefined) left.set(threadId, { first: firstNow.current ?? "", top: el.scrollTop, sizes: rows.takeSnapshot() });
    };
  }, [rows, threadId]);

  useImperativeHandle(
    handle,
    () => ({
      toEnd: () => {
        toEnd.current = later;
        if (later) load(loadNewest(threadId), failed);
        else rows.scrollToIndex(rows.options.count - 1, { align: "end" });
      },
    }),
    [rows, later, threadId],
  );

  return (
    <div className="scroller" ref={scroller} tabIndex={-1}>
      <div className="column">
        {children}
        <div className="exchanges" style={{ height: rows.getTotalSize() }}>
          {earlier && (
            <div className="earlier">
              <button type="button" className="button quiet" onClick={() => load(loadOlder(threadId), failed)}>
                {t.threads.earlierMessages}
              </button>
            </div>
          )}
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
                <ExchangeView exchange={exchange} busy={runningId !== undefined} />
              </section>
            ) : null;
          })}
        </div>
      </div>
    </div>
  );
}

/** Waits for messages that are on their way, and notes whether they failed to come. */
function load(work: Promise<void>, failed: { current: boolean }): void {
  work.then(
    () => {
      failed.current = false;
    },
    (err: unknown) => {
      if (!failed.current) toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
      failed.current = true;
    },
  );
}

function ExchangeView({ exchange: { question, answers }, busy }: { exchange: Exchange; busy: boolean }) {
  return (
    <>
      {question && <QuestionMessage message={question} busy={busy} />}
      {answers.map((m) => (
        <AnswerMessage key={m.id} message={m} question={question} busy={busy} />
      ))}
    </>
  );
}
