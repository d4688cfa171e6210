import { BookOpenText, FileSearch, MessageSquareQuote } from "lucide-react";
import { useEffect, useState } from "react";
import { AskBox } from "../ask/AskBox";
import { forget, keepHow } from "../ask/draft";
import { Notice } from "../answer/Notice";
import { useDocumentCount } from "../api/documents";
import { feed, inWork } from "../api/feed";
import { useServerStatus } from "../api/queries";
import { go } from "../app/router";
import { ModelNotice } from "../app/ModelNotice";
import { pickFiles } from "../library/files";
import { addFiles } from "../library/uploads";
import { t } from "../strings";
import { Command } from "../ui/Command";
import { useStore } from "../ui/store";

/** The id of the thread that the next question begins; used up when it is asked. */
export function NewThread() {
  const [threadId] = useState(newId);
  const documents = useDocumentCount();
  const { queue } = useStore(feed);
  const asked = useServerStatus().data?.queue;

  useEffect(() => {
    document.title = t.app;
  }, []);

  return (
    <div className="thread new-thread">
      <div className="scroller">
        <div className="column">
          {documents.error && documents.data === undefined && <Notice tone="bad">{documents.error.message}</Notice>}
          {documents.data === 0 && <FirstRun />}
          {documents.data !== undefined && documents.data > 0 && <Ready documents={documents.data} reading={inWork(queue ?? asked)} />}
          <ModelNotice />
        </div>
      </div>
      <div className="dock">
        <div className="column">
          <AskBox
            threadId={threadId}
            draftKey="new"
            parentId=""
            runningId={undefined}
            onAsked={(how) => {
              forget("new");
              keepHow(threadId, how);
              go({ view: { name: "thread", id: threadId } });
            }}
          />
          <div className="foot" />
        </div>
      </div>
    </div>
  );
}

function Ready({ documents, reading }: { documents: number; reading: number }) {
  return (
    <header className="welcome">
      <h1>{t.first.readyTitle}</h1>
      <p className="faint">{reading > 0 ? t.first.processing(reading) : t.first.ready(documents)}</p>
    </header>
  );
}

const icons = [BookOpenText, FileSearch, MessageSquareQuote];

/** An empty library explains itself in one screen. */
function FirstRun() {
  return (
    <section className="first-run">
      <h1>{t.first.title}</h1>
      <p className="lead">{t.first.lead}</p>
      <button type="button" className="drop-here" onClick={async () => addFiles(await pickFiles("files"))}>
        <strong>{t.library.add}</strong>
        <span className="fine-only">{t.first.dropHere}</span>
        <span className="coarse-only">{t.first.choose}</span>
      </button>
      <ol className="first-steps">
        {t.first.steps.map(([title, text], i) => {
          const Icon = icons[i] ?? BookOpenText;
          return (
            <li key={title}>
              <Icon aria-hidden />
              <div>
                <h2>{title}</h2>
                <p>{text}</p>
              </div>
            </li>
          );
        })}
      </ol>
      <div className="first-command fine-only">
        <span className="faint">{t.first.or}</span>
        <Command text={t.first.command} />
      </div>
    </section>
  );
}

/** Also where the page is not "secure" and crypto.randomUUID is missing: http on a local network. */
function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = ((b[6] ?? 0) & 0x0f) | 0x40;
  b[8] = ((b[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...b].map((x) => x.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
