import { Folder, MessageCirclePlus, Search } from "lucide-react";
import { Fragment, useMemo, useState } from "react";
import { Notice } from "../answer/Notice";
import { useDocumentList, useLabels, type DocumentQuery, type useFoldersIn } from "../api/documents";
import type { Row } from "../api/paged";
import type { Doc, FolderNode } from "../api/types";
import { Link } from "../app/Link";
import { n, t } from "../strings";
import { useSettled } from "../ui/hooks";
import { IconButton } from "../ui/IconButton";
import { keep, kept } from "../ui/keep";
import { useStore } from "../ui/store";
import { going } from "../ui/undo";
import { VirtualRows } from "../ui/VirtualRows";
import { askIn } from "./askAbout";
import { DocumentRow } from "./DocumentRow";
import { Failed } from "./Failed";
import { crumbsOf } from "./folders";
import { categoryKey } from "./uploads";

interface Props {
  folder: string;
  folders: ReturnType<typeof useFoldersIn>;
}

const noFolders: readonly FolderNode[] = [];
const noDocuments: readonly Row<Doc>[] = [];

/** So many rows before the end of the folders that are here more are asked for. */
const foldersAhead = 40;

/** One folder: the way to it, the folders in it, its documents; or whatever below it matches a filter. */
export function Shelves({ folder, folders }: Props) {
  const [filter, setFilter] = useState("");
  const [failedOnly, setFailedOnly] = useState(false);
  const find = useSettled(filter.trim());
  const query = useMemo((): DocumentQuery => {
    if (failedOnly) return { folder, q: find, status: "failed" };
    return find === "" ? { in_folder: folder } : { folder, q: find };
  }, [folder, find, failedOnly]);
  const list = useDocumentList(query);
  const hidden = useStore(going);
  const pages = folders.data?.pages;
  const here = pages?.[0];
  const browsing = find === "" && !failedOnly;
  const inside = useMemo(() => (browsing ? (pages?.flatMap((page) => page.folder.folders ?? []) ?? noFolders) : noFolders), [pages, browsing]);
  const moreInside = browsing && folders.hasNextPage;
  const shown = useMemo(() => {
    if (moreInside) return noDocuments; // they stand below all folders
    return hidden.size === 0 ? list.rows : list.rows.filter((row) => !hidden.has(`document:${row.id}`));
  }, [list.rows, hidden, moreInside]);
  const count = inside.length + shown.length;
  const settled = !list.isPending && here !== undefined;
  const show = (from: number, to: number) => {
    if (moreInside && to + foldersAhead >= inside.length && !folders.isFetching) void folders.fetchNextPage();
    // Rows that are hidden for a moment shift the others by less than is asked for ahead.
    list.show(from - inside.length, to - inside.length);
  };
  return (
    <>
      <div className="library-fields">
        <label className="search-field">
          <Search aria-hidden />
          <input type="search" className="field" placeholder={t.library.filter} aria-label={t.library.filter} value={filter} onChange={(e) => setFilter(e.target.value)} />
        </label>
        <CategoryField />
      </div>
      <Crumbs folder={folder} total={here?.folder.total ?? 0} />
      <Failed folder={folder} only={failedOnly} onOnly={setFailedOnly} />
      {list.error && (
        <Notice tone="bad">
          {list.error.message}{" "}
          <button type="button" className="button" onClick={list.retry}>
            {t.retry}
          </button>
        </Notice>
      )}
      {list.isPending && !list.error && <p className="faint library-note">{t.loading}</p>}
      {settled && count === 0 && <Nothing none={here.documents === 0} />}
      <VirtualRows
        className="rows"
        label={t.library.title}
        count={count}
        height={68}
        complete={list.complete && !moreInside}
        keyOf={(i) => (i < inside.length ? `folder ${inside[i]?.path ?? i}` : (shown[i - inside.length]?.id ?? `${i}`))}
        onShown={show}
      >
        {(i) => {
          const inner = inside[i];
          return inner ? <FolderRow folder={inner} /> : <DocumentPlace row={shown[i - inside.length]} />;
        }}
      </VirtualRows>
    </>
  );
}

/** A document, or the room for one that is on its way. */
function DocumentPlace({ row }: { row: Row<Doc> | undefined }) {
  return row?.item ? <DocumentRow doc={row.item} /> : <div className="document waiting" aria-busy />;
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

function Crumbs({ folder, total }: { folder: string; total: number }) {
  if (folder === "") return null;
  const crumbs = crumbsOf(folder);
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

/** As many names are offered while one types. */
const mostOffered = 50;

function CategoryField() {
  const [category, setCategory] = useState(kept(categoryKey) ?? "");
  const known = useLabels("categories", useSettled(category.trim()), mostOffered).data?.names ?? [];
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
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}

function FolderRow({ folder }: { folder: FolderNode }) {
  return (
    <Link to={{ view: { name: "library", folder: folder.path } }} className="document folder">
      <Folder aria-hidden className="document-icon" />
      <span className="document-body">{folder.name}</span>
      <span className="faint nav-count">{n(folder.total)}</span>
    </Link>
  );
}
