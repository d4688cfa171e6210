import { ChevronLeft, ChevronRight, File as FileIcon, Pencil, Trash2 } from "lucide-react";
import { memo, useState, type KeyboardEvent } from "react";
import { ApiError, auth, remove } from "../api/client";
import { keys, queryClient, useTools } from "../api/queries";
import type { Message } from "../api/types";
import { attachmentsOf, fileOf } from "../ask/attachments";
import { useScopeParts } from "../ask/ScopeChips";
import { t } from "../strings";
import { CopyButton } from "../ui/CopyButton";
import { IconButton } from "../ui/IconButton";
import { toast } from "../ui/toasts";
import { removeLater } from "../ui/undo";
import { ask, selectBranch } from "./ask";

interface Props {
  message: Message;
  /** Nothing can be asked again while the thread is being answered. */
  busy: boolean;
}

export const QuestionMessage = memo(function QuestionMessage({ message, busy }: Props) {
  const [editing, setEditing] = useState(false);
  if (editing) return <Editor message={message} onClose={() => setEditing(false)} />;
  return (
    <article className="message question" aria-label={t.message.you}>
      <div className="question-text">{message.text}</div>
      <Attachments message={message} />
      <AskedIn message={message} />
      <div className="message-tools">
        <Branches message={message} />
        <IconButton label={t.message.edit} disabled={busy} onClick={() => setEditing(true)}>
          <Pencil aria-hidden />
        </IconButton>
        <CopyButton text={() => message.text} />
        <RemoveMessage message={message} disabled={busy} />
      </div>
    </article>
  );
});

function AskedIn({ message }: { message: Message }) {
  const parts = useScopeParts(message.request?.scope ?? {});
  const tools = useTools();
  const web = message.request?.force_tools?.some((name) => tools.get(name)?.kind === "web");
  if (parts.length === 0 && !web) return null;
  const words = [parts.length > 0 ? t.message.asked(parts.map((p) => p.name).join(", ")) : "", web ? t.message.withWeb : ""];
  return <div className="asked-in">{words.filter(Boolean).join(" · ")}</div>;
}

/** The files that came with a question. A link could not carry a token, so with one they are only named. */
function Attachments({ message }: { message: Message }) {
  const files = message.request?.attachments ?? [];
  if (files.length === 0) return null;
  const linked = auth.get().token === undefined;
  return (
    <ul className="chips" aria-label={t.message.attached}>
      {files.map((f, i) => (
        <li key={i} className="chip attached">
          <FileIcon aria-hidden />
          {linked ? (
            <a className="chip-name" href={fileOf(message.id, i)} target="_blank" rel="noopener">
              {f.name}
            </a>
          ) : (
            <span className="chip-name">{f.name}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

export function RemoveMessage({ message, disabled }: { message: Message; disabled?: boolean }) {
  const onClick = () =>
    removeLater(`message:${message.id}`, t.message.removed, async () => {
      await remove(`/v1/messages/${encodeURIComponent(message.id)}`);
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: keys.messages(message.thread_id) }),
        queryClient.invalidateQueries({ queryKey: keys.threads }),
      ]);
    });
  return (
    <IconButton label={t.message.remove} disabled={disabled} onClick={onClick}>
      <Trash2 aria-hidden />
    </IconButton>
  );
}

function Branches({ message }: { message: Message }) {
  const siblings = message.siblings ?? [];
  if (siblings.length < 2) return null;
  const at = siblings.indexOf(message.id);
  const select = (id: string | undefined) => {
    if (!id) return;
    selectBranch(message.thread_id, id).catch((err: unknown) => toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" }));
  };
  return (
    <span className="branches">
      <IconButton label={t.message.earlier} disabled={at <= 0} onClick={() => select(siblings[at - 1])}>
        <ChevronLeft aria-hidden />
      </IconButton>
      <span aria-label={t.message.branch(at + 1, siblings.length)}>
        {at + 1}/{siblings.length}
      </span>
      <IconButton label={t.message.later} disabled={at === siblings.length - 1} onClick={() => select(siblings[at + 1])}>
        <ChevronRight aria-hidden />
      </IconButton>
    </span>
  );
}

/** Asks the question of a message again, changed or not, on a branch of its own. */
export async function askAgain(message: Message, text: string): Promise<void> {
  const { scope, mode, think, model, force_tools } = message.request ?? {};
  try {
    const attachments = await attachmentsOf(message);
    await ask(message.thread_id, message.parent_id ?? "", { input_text: text, scope, mode, think, model, force_tools: force_tools ?? undefined, attachments, edit_message_id: message.id });
  } catch (err) {
    const busy = err instanceof ApiError && err.status === 429;
    toast(busy ? { text: t.ask.busy, hint: t.ask.busyHint, tone: "bad" } : { text: err instanceof Error ? err.message : String(err), tone: "bad" });
    throw err;
  }
}

function Editor({ message, onClose }: { message: Message; onClose: () => void }) {
  const [text, setText] = useState(message.text);
  const submit = () => {
    if (text.trim() === "") return;
    askAgain(message, text.trim()).then(onClose, () => undefined);
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Escape") {
      e.preventDefault();
      onClose();
    }
    if (e.key === "Enter" && !e.shiftKey && !e.nativeEvent.isComposing) {
      e.preventDefault();
      submit();
    }
  };
  return (
    <div className="message question editing">
      <textarea autoFocus aria-label={t.message.editLabel} value={text} onChange={(e) => setText(e.target.value)} onKeyDown={onKeyDown} />
      <div className="row end">
        <button type="button" className="button quiet" onClick={onClose}>
          {t.cancel}
        </button>
        <button type="button" className="button primary" disabled={text.trim() === ""} onClick={submit}>
          {t.message.ask}
        </button>
      </div>
    </div>
  );
}
