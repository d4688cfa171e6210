import { useEffect, useRef, type ReactNode } from "react";
import { go, type View } from "../app/router";
import { t } from "../strings";

export type Look = "documents" | "passages" | "databases" | "watched" | "removed";

const looks: readonly Look[] = ["documents", "passages", "databases", "watched", "removed"];

function viewOf(look: Look, folder: string): View {
  if (look === "documents" || look === "passages") return { name: look === "documents" ? "library" : "passages", folder: folder || undefined };
  return { name: look };
}

interface Props {
  at: Look;
  folder?: string;
  summary: string;
  children?: ReactNode;
}

/** What stands above the documents, a search in what they say, and the databases: where one is, and what can be added. */
export function LibraryHead({ at, folder = "", summary, children }: Props) {
  const chosen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a phone there is no room for all of them.
    const row = chosen.current;
    const button = row?.querySelector<HTMLElement>("[aria-pressed=true]");
    if (row && button) row.scrollLeft = button.offsetLeft - row.offsetLeft - (row.clientWidth - button.offsetWidth) / 2;
  }, [at]);
  return (
    <header className="library-head">
      <div className="library-name">
        <h1>{t.library.title}</h1>
        <p className="faint">{summary}</p>
      </div>
      <div className="library-tools">{children}</div>
      <div className="looks library-looks" ref={chosen} role="group" aria-label={t.library.title}>
        {looks.map((to) => (
          <button key={to} type="button" aria-pressed={at === to} onClick={() => at !== to && go({ view: viewOf(to, folder) })}>
            {t.library.looks[to]}
          </button>
        ))}
      </div>
    </header>
  );
}
