import { useVirtualizer } from "@tanstack/react-virtual";
import { Folder, MessageCirclePlus, Search } from "lucide-react";
import { Fragment, useDeferredValue, useMemo, useRef, useState } from "react";
import { Notice } from "../answer/Notice";
import type { useDocuments } from "../api/queries";
import type { Doc } from "../api/types";
import { Link } from "../app/Link";
import { n, t } from "../strings";
import { IconButton } from "../ui/IconButton";
import { keep, kept } from "../ui/keep";
import { askIn } from "./askAbout";
import { DocumentRow } from "./DocumentRow";
import { isBelow, shelfAt, type FolderHere } from "./folders";
import { categoryKey } from "./uploads";

interface Props {
  folder: string;
  docs: readonly Doc[];
  documents: ReturnType<typeof useDocuments>;
}

/** One folder: the way to it, the folders in it, its documents; or whatever below it matches a filter. */
export function Shelves({ folder, docs, documents }: Props) {
  const [filter, setFilter] = useState("");
  const find = useDeferredValue(filter.trim().toLowerCase());
  const rows = useMemo(() => {
    if (find) return newestFirst(docs.filter((d) => isBelow(d.folder ?? "", folder) && fits(d, find)));
    const shelf = shelfAt(docs, folder);
    return [...shelf.folders, ...newestFirst(shelf.documents)];
  }, [docs, folder, find]);
  return (
    <>
      <div className="library-fields">
        <label className="search-field">
          <Search aria-hidden />
          <input type="search" className="field" placeholder={t.library.filter} aria-label={t.library.filter} value={filter} onChange={(e) => setFilter(e.target.value)} />
        </label>
        <CategoryField docs={docs} />
      </div>
      <Crumbs folder={folder} docs={docs} />
      {documents.error && !documents.data && <Notice tone="bad">{documents.error.message}</Notice>}
      {documents.isPending && <p className="faint library-note">{t.loading}</p>}
      {documents.data && rows.length === 0 && <Nothing none={docs.length === 0} />}
      <Rows rows={rows} />
    </>
  );
}

function Nothing({ none }: { none: boolean }) {
  if (!none) return <p className="faint library-note">{t.library.noMatch}</p>;
  return (
    <div className="faint library-note">
      <p>{`${t.library.empty} ${t.first.dropHere}.`}</p>
      <p>
        <Link to={{ view: { name: "watched" } }}>{t.library.watched}</Link>
      </p>
    </div>
  );
}

function newestFirst(docs: readonly Doc[]): Doc[] {
  return [...docs].sort((a, b) => Date.parse(b.added_at) - Date.parse(a.added_at) || a.name.localeCompare(b.name));
}

function fits(d: Doc, find: string): boolean {
  return [d.title, d.name, d.folder, d.category, ...(d.tags ?? []), d.format, t.library.statuses[d.status]].join("\n").toLowerCase().includes(find);
}

function Crumbs({ folder, docs }: { folder: string; docs: readonly Doc[] }) {
  if (folder === "") return null;
  const { crumbs, total } = shelfAt(docs, folder);
  return (
    <nav className="crumbs" aria-label={t.library.path}>
      <Link to={{ view: { name: "library" } }}>{t.library.title}</Link>
      {crumbs.map((c, i) => (
        <Fragment key={c.path}>
          <span aria-hidden>/</span>
          <Link to={{ view: { name: "library", folder: c.path } }} current={i === crumbs.length - 1}>
            {c.name}
          </Link>
        </Fragment>
      ))}
      <span className="faint">{t.library.count(total)}</span>
      <IconButton label={t.library.askFolder} onClick={() => askIn(folder)}>
        <MessageCirclePlus aria-hidden />
      </IconButton>
    </nav>
  );
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

type Row = Doc | FolderHere;

const isFolder = (row: Row): row is FolderHere => "total" in row;

/** Only the rows that are in sight exist: libraries grow to many thousands. */
function Rows({ rows }: { rows: readonly Row[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 68,
    overscan: 12,
    getItemKey: (i) => keyOf(rows[i]) ?? i,
  });
  return (
    <div className="rows" ref={scroller} tabIndex={rows.length > 0 ? 0 : undefined} role="list" aria-label={t.library.title}>
      <div style={{ height: list.getTotalSize() }} role="presentation">
        {list.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return row ? (
            <div
              key={item.key}
              ref={list.measureElement}
              data-index={item.index}
              className="row-place"
              role="listitem"
              aria-setsize={rows.length}
              aria-posinset={item.index + 1}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {isFolder(row) ? <FolderRow folder={row} /> : <DocumentRow doc={row} />}
            </div>
          ) : null;
        })}
      </div>
    </div>
  );
}

function keyOf(row: Row | undefined): string | undefined {
  return row && (isFolder(row) ? `folder ${row.path}` : row.id);
}

function FolderRow({ folder }: { folder: FolderHere }) {
  return (
    <Link to={{ view: { name: "library", folder: folder.path } }} className="document folder">
      <Folder aria-hidden className="document-icon" />
      <span className="document-body">{folder.name}</span>
      <span className="faint nav-count">{n(folder.total)}</span>
    </Link>
  );
}
