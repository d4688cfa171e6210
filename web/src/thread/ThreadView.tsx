import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { AskBox } from "../ask/AskBox";
import { Notice } from "../answer/Notice";
import type { Message } from "../api/types";
import { go } from "../app/router";
import { ModelNotice } from "../app/ModelNotice";
import { useRunView } from "../run/live";
import { t } from "../strings";
import { bringIntoSight } from "../ui/scroll";
import { AnswerMessage } from "./AnswerMessage";
import type { Turn } from "./branch";
import { MemoryMeter } from "./MemoryMeter";
import { QuestionMessage } from "./QuestionMessage";
import { useThread, type ThreadState } from "./useThread";

export function ThreadView({ threadId }: { threadId: string }) {
  const state = useThread(threadId);
  const { thread, turns } = state;
  const { ref: scroller, atEnd, toEnd } = useThreadScroll(threadId, turns);

  useEffect(() => {
    document.title = thread?.title ? `${thread.title} · ${t.app}` : t.app;
  }, [thread?.title]);

  if (state.missing) return <Missing />;
  return (
    <div className="thread">
      <div className="scroller" ref={scroller} tabIndex={-1}>
        <div className="column">
          <h1 className="visually-hidden">{thread?.title || t.threads.untitled}</h1>
          {state.error && <Notice tone="bad">{state.error.message}</Notice>}
          {state.loading && !state.error && <p className="faint thread-loading">{t.loading}</p>}
          <Turns state={state} />
        </div>
      </div>
      <div className="dock">
        {!atEnd && (
          <button type="button" className="to-end" onClick={toEnd} aria-label={t.threads.latest}>
            <ArrowDown aria-hidden />
          </button>
        )}
        <div className="column">
          <ModelNotice compact />
          <AskBox threadId={threadId} draftKey={threadId} parentId={turns.at(-1)?.message.id ?? ""} runningId={state.runningId} />
          <Foot turns={turns} />
        </div>
      </div>
    </div>
  );
}

const windowSize = 40;

/** Long threads show their end; what came before is added when one scrolls up to it. */
function Turns({ state }: { state: ThreadState }) {
  const [size, setSize] = useState(windowSize);
  const { turns, messages, runningId } = state;
  const top = useRef<HTMLButtonElement>(null);
  const more = turns.length > size;
  useEffect(() => {
    if (!top.current || !more) return;
    const seen = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && setSize((s) => s + windowSize), {
      rootMargin: "600px 0px 0px 0px",
    });
    seen.observe(top.current);
    return () => seen.disconnect();
  }, [more, size]);

  return (
    <>
      {more && (
        <button ref={top} type="button" className="button quiet earlier" onClick={() => setSize(size + windowSize)}>
          {t.threads.earlierMessages}
        </button>
      )}
      {exchanges(turns.slice(-size), runningId, state.thread?.id ?? "").map(({ question, answers }) => (
        <section key={question?.message.id ?? answers[0]?.id} className="exchange">
          {question && (
            <QuestionMessage message={question.message} siblings={question.siblings} messages={messages} busy={runningId !== undefined} />
          )}
          {answers.map((m) => (
            <AnswerMessage key={m.id} message={m} question={question?.message} busy={runningId !== undefined} />
          ))}
        </section>
      ))}
    </>
  );
}

interface Exchange {
  question?: Turn;
  answers: Message[];
}

/** Each question with what answers it. */
function exchanges(turns: readonly Turn[], runningId: string | undefined, threadId: string): Exchange[] {
  const list: Exchange[] = [];
  for (const turn of turns) {
    const last = list.at(-1);
    if (turn.message.role === "user" || !last) list.push(turn.message.role === "user" ? { question: turn, answers: [] } : { answers: [turn.message] });
    else last.answers.push(turn.message);
  }
  // The run of a question asked elsewhere is shown before its messages are here.
  if (runningId && !turns.some((turn) => turn.message.id === runningId)) {
    const running = placeholder(runningId, threadId);
    const last = list.at(-1);
    if (last && last.answers.length === 0) last.answers.push(running);
    else list.push({ answers: [running] });
  }
  return list;
}

const placeholders = new Map<string, Message>();

function placeholder(id: string, threadId: string): Message {
  let m = placeholders.get(id);
  if (!m) {
    m = { id, thread_id: threadId, role: "assistant", text: "", status: "queued", created_at: "" };
    placeholders.set(id, m);
  }
  return m;
}

function Foot({ turns }: { turns: readonly Turn[] }) {
  const last = turns.findLast((turn) => turn.message.role === "assistant")?.message;
  return <div className="foot">{last && <FootOf message={last} />}</div>;
}

function FootOf({ message }: { message: Message }) {
  const { memory } = useRunView(message);
  return memory ? <MemoryMeter memory={memory} /> : null;
}

function Missing() {
  return (
    <div className="empty">
      <h1>{t.threads.gone}</h1>
      <button type="button" className="button primary" onClick={() => go({ view: { name: "new" } })}>
        {t.backHome}
      </button>
    </div>
  );
}

const kept = new Map<string, number>();

/**
 * A thread opens where it was left, else at its last question. A new question
 * moves to the top and stays there while its answer grows below it.
 */
function useThreadScroll(threadId: string, turns: readonly Turn[]) {
  const ref = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const lastQuestion = turns.findLast((turn) => turn.message.role === "user")?.message.id;
  const placed = useRef<{ threadId: string; question: string | undefined }>({ threadId: "", question: undefined });

  const toEnd = useCallback(() => {
    const el = ref.current;
    el?.scrollTo({ top: el.scrollHeight, behavior: reducedMotion() ? "auto" : "smooth" });
  }, []);

  useLayoutEffect(() => {
    const el = ref.current;
    if (!el || !lastQuestion) return;
    const was = placed.current;
    placed.current = { threadId, question: lastQuestion };
    if (was.threadId === threadId && was.question === lastQuestion) return;
    const top = was.threadId === threadId ? undefined : kept.get(threadId);
    if (top !== undefined) el.scrollTop = top;
    else bringIntoSight(el, el.querySelector(".exchange:last-child"), "start", was.threadId === threadId);
  }, [threadId, lastQuestion]);

  useEffect(() => {
    const el = ref.current;
    if (!el) return;
    const look = () => {
      kept.set(threadId, el.scrollTop);
      setAtEnd(el.scrollHeight - el.scrollTop - el.clientHeight < 48);
    };
    const grows = new ResizeObserver(() => setAtEnd(el.scrollHeight - el.scrollTop - el.clientHeight < 48));
    if (el.firstElementChild) grows.observe(el.firstElementChild);
    el.addEventListener("scroll", look, { passive: true });
    return () => {
      el.removeEventListener("scroll", look);
      grows.disconnect();
    };
  }, [threadId]);

  return { ref, atEnd, toEnd };
}

function reducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
