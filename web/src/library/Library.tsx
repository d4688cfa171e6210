import { useVirtualizer } from "@tanstack/react-virtual";
import { FilePlus, FolderPlus, Search } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Notice } from "../answer/Notice";
import { useDocuments } from "../api/queries";
import type { Doc } from "../api/types";
import { t } from "../strings";
import { keep, kept } from "../ui/keep";
import { useStore } from "../ui/store";
import { going } from "../ui/undo";
import { DocumentRow } from "./DocumentRow";
import { pickFiles } from "./files";
import { addFiles, categoryKey } from "./uploads";

export function Library() {
  const documents = useDocuments();
  const hidden = useStore(going);
  const [filter, setFilter] = useState("");
  const find = useDeferredValue(filter.trim().toLowerCase());
  const all = useMemo(
    () =>
      (documents.data ?? [])
        .filter((d) => !hidden.has(`document:${d.id}`))
        .sort((a, b) => Date.parse(b.added_at) - Date.parse(a.added_at) || a.name.localeCompare(b.name)),
    [documents.data, hidden],
  );
  const shown = useMemo(() => (find ? all.filter((d) => fits(d, find)) : all), [all, find]);
  const chunks = all.reduce((sum, d) => sum + d.chunks, 0);

  useEffect(() => {
    document.title = `${t.library.title} · ${t.app}`;
  }, []);

  return (
    <div className="library">
      <header className="library-head">
        <div>
          <h1>{t.library.title}</h1>
          <p className="faint">{t.library.summary(all.length, chunks)}</p>
        </div>
        <div className="library-tools">
          <button type="button" className="button primary" onClick={async () => addFiles(await pickFiles("files"))}>
            <FilePlus aria-hidden />
            {t.library.add}
          </button>
          <button type="button" className="button" onClick={async () => addFiles(await pickFiles("folder"))}>
            <FolderPlus aria-hidden />
            {t.library.addFolder}
          </button>
        </div>
        <div className="library-fields">
          <label className="search-field">
            <Search aria-hidden />
            <input type="search" className="field" placeholder={t.library.filter} aria-label={t.library.filter} value={filter} onChange={(e) => setFilter(e.target.value)} />
          </label>
          <CategoryField docs={all} />
        </div>
      </header>
      {documents.error && !documents.data && <Notice tone="bad">{documents.error.message}</Notice>}
      {documents.isPending && <p className="faint library-note">{t.loading}</p>}
      {documents.data && shown.length === 0 && (
        <p className="faint library-note">{all.length === 0 ? `${t.library.empty} ${t.first.dropHere}.` : t.library.noMatch}</p>
      )}
      <Rows docs={shown} />
    </div>
  );
}

function fits(d: Doc, find: string): boolean {
  return `${d.title}\n${d.name}\n${d.folder ?? ""}\n${d.category ?? ""}\n${d.format}\n${t.library.statuses[d.status]}`.toLowerCase().includes(find);
}

function CategoryField({ docs }: { docs: readonly Doc[] }) {
  const [category, setCategory] = useState(kept(categoryKey) ?? "");
  const known = [...new Set(docs.map((d) => d.category).filter(Boolean))];
  return (
    <label className="category-field">
      <span>{t.library.category}</span>
      <input
        className="field"
        list="categories"
        placeholder={t.library.categoryNone}
        value={category}
        onChange={(e) => {
          setCategory(e.target.value);
          keep(categoryKey, e.target.value.trim(), "tab");
        }}
      />
      <datalist id="categories">
        {known.map((c) => (
          <option key={c} value={c} />
        ))}
      </datalist>
    </label>
  );
}

/** Only the rows that are in sight exist: libraries grow to many thousands. */
function Rows({ docs }: { docs: readonly Doc[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: docs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 68,
    overscan: 12,
    getItemKey: (i) => docs[i]?.id ?? i,
  });
  return (
    <div className="rows" ref={scroller} tabIndex={docs.length > 0 ? 0 : undefined} role="list" aria-label={t.library.title}>
      <div style={{ height: rows.getTotalSize() }} role="presentation">
        {rows.getVirtualItems().map((item) => {
          const doc = docs[item.index];
          return doc ? (
            <div
              key={item.key}
              ref={rows.measureElement}
              data-index={item.index}
              className="row-place"
              role="listitem"
              aria-setsize={docs.length}
              aria-posinset={item.index + 1}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <DocumentRow doc={doc} />
            </div>
          ) : null;
        })}
      </div>
    </div>
  );
}
