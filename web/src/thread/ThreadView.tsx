import { ArrowDown } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { AskBox } from "../ask/AskBox";
import { Notice } from "../answer/Notice";
import type { Message } from "../api/types";
import { go } from "../app/router";
import { ModelNotice } from "../app/ModelNotice";
import { useRunView } from "../run/live";
import { t } from "../strings";
import { Conversation, type ConversationHandle } from "./Conversation";
import { MemoryMeter } from "./MemoryMeter";
import { useThread } from "./useThread";

export function ThreadView({ threadId }: { threadId: string }) {
  const state = useThread(threadId);
  const { thread, messages } = state;
  const [atEnd, setAtEnd] = useState(true);
  const conversation = useRef<ConversationHandle>(null);

  useEffect(() => {
    document.title = thread?.title ? `${thread.title} · ${t.app}` : t.app;
  }, [thread?.title]);

  if (state.missing) return <Missing />;
  return (
    <div className="thread">
      <Conversation threadId={threadId} state={state} onAtEnd={setAtEnd} handle={conversation}>
        <h1 className="visually-hidden">{thread?.title || t.threads.untitled}</h1>
        {state.error && <Notice tone="bad">{state.error.message}</Notice>}
        {state.loading && !state.error && <p className="faint thread-loading">{t.loading}</p>}
      </Conversation>
      <div className="dock">
        {!atEnd && (
          <button type="button" className="to-end" onClick={() => conversation.current?.toEnd()} aria-label={t.threads.latest}>
            <ArrowDown aria-hidden />
          </button>
        )}
        <div className="column">
          <ModelNotice compact />
          <AskBox threadId={threadId} draftKey={threadId} parentId={messages.at(-1)?.id ?? ""} runningId={state.runningId} />
          <Foot messages={messages} />
        </div>
      </div>
    </div>
  );
}

function Foot({ messages }: { messages: readonly Message[] }) {
  const last = messages.findLast((m) => m.role === "assistant");
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
