import { RefreshCw } from "lucide-react";
import { memo } from "react";
import { CopyButton } from "../ui/CopyButton";
import { IconButton } from "../ui/IconButton";
import { copyWithFootnotes, doubtLines } from "../answer/copy";
import { AnswerText } from "../answer/Markdown";
import { Notice, RunNotices } from "../answer/Notice";
import { Pictures } from "../answer/Pictures";
import { Sources, WebSources } from "../answer/Sources";
import { Work } from "../answer/Work";
import { isDone, type Message } from "../api/types";
import { useLiveRun, useRunView } from "../run/live";
import type { RunView } from "../run/view";
import { ago, t } from "../strings";
import { askAgain, RemoveMessage } from "./QuestionMessage";
import { useAnnouncements } from "./useAnnouncements";

interface Props {
  message: Message;
  question: Message | undefined;
  busy: boolean;
}

export const AnswerMessage = memo(function AnswerMessage({ message, question, busy }: Props) {
  const view = useRunView(message);
  const connection = useLiveRun(message.id)?.connection;
  const done = isDone(view.status);
  // A failed answer's text may be nothing but the failure, which is said below.
  const text = view.error && view.text.trim() === view.error.message.trim() ? "" : view.text;
  useAnnouncements(view);
  return (
    <article className="message answer" aria-label={t.message.answer} aria-busy={!done} data-status={view.status}>
      <Work view={view} />
      {text !== "" && <AnswerText view={view} />}
      <Pictures view={view} />
      <RunNotices view={view} connection={connection} />
      {view.cache && <FromCache view={view} question={question} busy={busy} />}
      {done && <Doubts view={view} />}
      {done && <Sources view={view} />}
      {done && <WebSources sources={view.webSources} />}
      {done && (
        <div className="message-tools">
          <CopyButton text={() => copyWithFootnotes(view)} label={view.citations.length > 0 ? t.message.copyNotes : t.message.copy} />
          {question && (
            <IconButton label={t.message.retry} disabled={busy} onClick={() => void askAgain(question, question.text).catch(() => undefined)}>
              <RefreshCw aria-hidden />
            </IconButton>
          )}
          <RemoveMessage message={message} disabled={busy} />
          <Facts view={view} />
        </div>
      )}
    </article>
  );
});

/** An earlier answer that is shown again: said plainly, with a way to have a new one. */
function FromCache({ view, question, busy }: { view: RunView; question: Message | undefined; busy: boolean }) {
  const when = view.cache?.cached_at ? ago(view.cache.cached_at) : "";
  return (
    <Notice tone="info">
      <p>{t.run.fromEarlier(when, view.cache?.original_query ?? "")}</p>
      {question && isDone(view.status) && (
        <button type="button" className="button" disabled={busy} onClick={() => void askAgain(question, question.text).catch(() => undefined)}>
          {t.run.askAnew}
        </button>
      )}
    </Notice>
  );
}

/** Said only where the sources do not back all of the answer. */
function Doubts({ view }: { view: RunView }) {
  const lines = doubtLines(view);
  if (lines.length === 0) return null;
  return (
    <ul className="doubts">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function Facts({ view }: { view: RunView }) {
  const f = view.finished;
  const facts = [
    view.model,
    f && t.run.total(f.timing.total_ms),
    f?.cached && t.run.fromCache,
  ].filter((x) => typeof x === "string" && x !== "");
  const tokens = f && f.usage.input_tokens + f.usage.output_tokens > 0 ? t.run.tokens(f.usage.input_tokens, f.usage.output_tokens) : undefined;
  return (
    <span className="facts" title={tokens}>
      {facts.join(" · ")}
    </span>
  );
}
