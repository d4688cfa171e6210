import { ArrowUp, Globe, Square } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState, type ClipboardEvent, type KeyboardEvent } from "react";
import { ApiError } from "../api/client";
import { useDocumentCount } from "../api/documents";
import { useServerStatus, useTools } from "../api/queries";
import { Notice } from "../answer/Notice";
import { t } from "../strings";
import { ask, stop } from "../thread/ask";
import { announce } from "../ui/announce";
import { IconButton } from "../ui/IconButton";
import { attach, attachTarget, encode, mostAttached, type Attached } from "./attachments";
import { AttachmentChips } from "./AttachmentChips";
import { AttachMenu } from "./AttachMenu";
import { useDraft, useHowToAsk, type HowToAsk } from "./draft";
import { HowMenu } from "./HowMenu";
import { ScopeChips } from "./ScopeChips";
import { ScopePicker } from "./ScopePicker";

interface Props {
  threadId: string;
  /** Key of the draft; a thread that does not exist yet shares one. */
  draftKey: string;
  parentId: string;
  runningId: string | undefined;
  onAsked?: (how: HowToAsk) => void;
}

interface Failure {
  text: string;
  hint: string;
}

export function AskBox({ threadId, draftKey, parentId, runningId, onAsked }: Props) {
  const [draft, setDraft] = useDraft(draftKey);
  const [how, setHow] = useHowToAsk(draftKey);
  const [busy, setBusy] = useState<"sending" | "stopping">();
  const [failure, setFailure] = useState<Failure>();
  const [files, setFiles] = useState<Attached[]>([]);
  const documents = useDocumentCount().data;
  const status = useServerStatus().data;
  const tools = useTools();
  const webTool = status?.tools?.find((name) => tools.get(name)?.kind === "web"); // the first searches
  const model = status?.models?.includes(how.model) ? how.model : undefined;
  const field = useRef<HTMLTextAreaElement>(null);
  useTypeAnywhere(field);

  // A fresh thread begins with the cursor in the question.
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, [draftKey]);

  const take = (more: File[]) => {
    const { list, tooMany } = attach(files, more);
    setFiles(list);
    setFailure(tooMany ? { text: t.ask.tooMany(mostAttached), hint: "" } : undefined);
    field.current?.focus();
  };
  useLayoutEffect(() => {
    attachTarget.set(take);
    return () => attachTarget.set(undefined);
  });

  const onPaste = (e: ClipboardEvent) => {
    const pasted = [...e.clipboardData.files];
    if (pasted.length === 0) return;
    e.preventDefault();
    take(pasted);
  };

  const submit = async () => {
    const text = draft.trim();
    if (text === "" || busy || runningId) return;
    setBusy("sending");
    setFailure(undefined);
    try {
      const asked = await ask(threadId, parentId, {
        input_text: text,
        scope: how.scope,
        mode: how.mode,
        think: how.think,
        model,
        force_tools: webTool && how.web ? [webTool] : undefined,
        attachments: files.length > 0 ? await Promise.all(files.map(encode)) : undefined,
      });
      if (asked.kind === "busy") setFailure({ text: t.ask.attached, hint: "" });
      else {
        setDraft("");
        setFiles([]);
      }
      onAsked?.(how);
    } catch (err) {
      setFailure(asFailure(err));
    } finally {
      setBusy(undefined);
    }
  };

  const halt = async () => {
    if (!runningId || busy) return;
    setBusy("stopping");
    try {
      await stop(threadId);
      announce(t.announce.stopped);
    } catch (err) {
      setFailure(asFailure(err));
    } finally {
      setBusy(undefined);
    }
  };
  useEscapeToStop(runningId ? halt : undefined);

  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key !== "Enter" || e.shiftKey || e.nativeEvent.isComposing) return;
    e.preventDefault();
    void submit();
  };

  return (
    <form
      className="ask"
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
    >
      {failure && (
        <Notice tone="bad">
          <strong>{failure.text}</strong>
          {failure.hint && <p>{failure.hint}</p>}
        </Notice>
      )}
      <div className="ask-box">
        <ScopeChips scope={how.scope} onChange={(scope) => setHow({ ...how, scope })} />
        <AttachmentChips list={files} onRemove={(id) => setFiles(files.filter((f) => f.id !== id))} />
        <textarea
          ref={field}
          id="question"
          rows={1}
          aria-label={t.ask.label}
          placeholder={documents === 0 ? t.ask.placeholderNone : t.ask.placeholder}
          value={draft}
          onChange={(e) => setDraft(e.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          enterKeyHint="send"
        />
        <div className="ask-tools">
          <AttachMenu onAttach={take} />
          <ScopePicker scope={how.scope} onChange={(scope) => setHow({ ...how, scope })} />
          <HowMenu how={how} onChange={setHow} />
          {webTool && (
            <IconButton label={t.ask.web} aria-pressed={how.web} data-on={how.web} onClick={() => setHow({ ...how, web: !how.web })}>
              <Globe aria-hidden />
            </IconButton>
          )}
          <span className="spring" />
          {runningId ? (
            <button type="button" className="send stop" disabled={busy === "stopping"} onClick={halt} aria-label={busy ? t.ask.stopping : t.ask.stop}>
              <Square aria-hidden />
            </button>
          ) : (
            <button type="submit" className="send" disabled={draft.trim() === "" || busy !== undefined} aria-label={busy ? t.ask.sending : t.ask.send}>
              <ArrowUp aria-hidden />
            </button>
          )}
        </div>
      </div>
    </form>
  );
}

function asFailure(err: unknown): Failure {
  if (err instanceof ApiError && err.status === 429) return { text: t.ask.busy, hint: t.ask.busyHint };
  if (err instanceof ApiError) return { text: err.message, hint: err.hint };
  return { text: t.failed(err instanceof Error ? err.message : String(err)), hint: "" };
}

/** Whatever is typed while nothing has the focus is the beginning of a question. */
function useTypeAnywhere(field: React.RefObject<HTMLTextAreaElement | null>): void {
  useLayoutEffect(() => {
    const onKey = (e: globalThis.KeyboardEvent) => {
      if (e.key.length !== 1 || e.key === " " || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
      if (document.activeElement !== document.body || document.querySelector("[role=dialog][data-state=open]")) return;
      field.current?.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [field]);
}

/** Esc stops, unless something that is open wants it to close. */
function useEscapeToStop(halt: (() => Promise<void>) | undefined): void {
  const latest = useRef(halt);
  useLayoutEffect(() => {
    latest.current = halt;
  });
  useLayoutEffect(() => {
    const onKey = (e: globalThis.KeyboardEvent) => {
      if (e.key !== "Escape" || e.defaultPrevented || e.isComposing || !latest.current) return;
      e.preventDefault();
      void latest.current();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
