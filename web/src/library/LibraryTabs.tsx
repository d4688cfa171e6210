import { go } from "../app/router";
import { t } from "../strings";

type At = "documents" | "passages" | "databases";

/** Between the documents, a search in what they say, and the databases. */
export function LibraryTabs({ at, onLook }: { at: At; onLook?: (at: "documents" | "passages") => void }) {
  const choose = (to: At) => {
    if (to === "databases") go({ view: { name: "databases" } });
    else if (onLook) onLook(to);
    else go({ view: { name: "library" } });
  };
  return (
    <div className="looks library-looks" role="group" aria-label={t.library.title}>
      {(["documents", "passages", "databases"] as const)
        .filter((to) => onLook !== undefined || to !== "passages")
        .map((to) => (
          <button key={to} type="button" aria-pressed={at === to} onClick={() => choose(to)}>
            {t.library.looks[to]}
          </button>
        ))}
    </div>
  );
}
