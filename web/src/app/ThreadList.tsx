import { Ellipsis, Search } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { memo, useMemo, useState, type KeyboardEvent } from "react";
import { remove, sendJSON } from "../api/client";
import { changed, keys } from "../api/queries";
import { changeThread, putThread, useThreadList } from "../api/threads";
import type { Thread } from "../api/types";
import { forget } from "../ask/draft";
import type { Format } from "../export/exportThread";
import { t } from "../strings";
import { restoreThread } from "../library/restore";
import { useSettled } from "../ui/hooks";
import { useStore } from "../ui/store";
import { toast } from "../ui/toasts";
import { going, removeNow } from "../ui/undo";
import { VirtualRows } from "../ui/VirtualRows";
import { Link } from "./Link";
import { go, here, useView } from "./router";

type Row = { label: string } | { thread: Thread };

export function ThreadList() {
  const view = useView();
  const [find, setFind] = useState("");
  const words = useSettled(find.trim());
  const list = useThreadList(words);
  const hidden = useStore(going);
  const rows = useMemo(() => byAge(list.rows.flatMap(({ id, item }) => (item && !hidden.has(`thread:${id}`) ? [item] : []))), [list.rows, hidden]);
  const current = view.name === "thread" ? view.id : "";
  const any = rows.length > 0 || find !== "" || words !== "";
  return (
    <section className="threads" aria-label={t.threads.title}>
      {any && (
        <label className="search-field">
          <Search aria-hidden />
          <input id="find-thread" type="search" className="field" placeholder={t.threads.find} aria-label={t.threads.find} value={find} onChange={(e) => setFind(e.target.value)} />
        </label>
      )}
      {list.complete && rows.length === 0 && <p className="faint list-note">{any ? t.threads.noMatch : t.threads.none}</p>}
      <VirtualRows
        className="thread-list"
        count={rows.length}
        height={34}
        complete={list.complete}
        keyOf={(i) => keyOf(rows[i], i)}
        onShown={list.show}
      >
        {(i) => {
          const row = rows[i];
          if (row === undefined) return null;
          return "label" in row ? <h2 className="list-label">{row.label}</h2> : <ThreadItem thread={row.thread} current={row.thread.id === current} />;
        }}
      </VirtualRows>
    </section>
  );
}

function keyOf(row: Row | undefined, i: number): string {
  if (row === undefined) return `${i}`;
  return "label" in row ? `label ${row.label}` : row.thread.id;
}

/** Newest first, under the days people remember. */
function byAge(threads: readonly Thread[]): Row[] {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const day = 86_400_000;
  const rows: Row[] = [];
  let last = "";
  for (const thread of threads) {
    const at = Date.parse(thread.updated_at);
    const label = at >= midnight ? t.threads.today : at >= midnight - day ? t.threads.yesterday : at >= midnight - 7 * day ? t.threads.week : t.threads.earlier;
    if (label !== last) rows.push({ label });
    last = label;
    rows.push({ thread });
  }
  return rows;
}

const ThreadItem = memo(function ThreadItem({ thread, current }: { thread: Thread; current: boolean }) {
  const [renaming, setRenaming] = useState(false);
  const title = thread.title || t.threads.untitled;
  if (renaming) return <Rename thread={thread} onClose={() => setRenaming(false)} />;
  const onRemove = () => {
    if (here().view.name === "thread" && current) go({ view: { name: "new" } });
    removeNow(
      `thread:${thread.id}`,
      t.threads.removed(title),
      async () => {
        await remove(`/v1/threads/${encodeURIComponent(thread.id)}`);
        putThread(thread.id, undefined);
        changed(keys.threads, keys.removed);
      },
      () => restoreThread(thread.id),
      () => forget(thread.id),
    );
  };
  const onExport = async (format: Format) => {
    try {
      const { exportThread } = await import("../export/exportThread");
      await exportThread(thread, format);
    } catch (err) {
      toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
    }
  };
  return (
    <div className="thread-item" data-current={current}>
      <Link to={{ view: { name: "thread", id: thread.id } }} current={current} title={title}>
        <span className="thread-title">{title}</span>
        {thread.run_id && <span className="pulse" role="img" aria-label={t.threads.running} />}
      </Link>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <button type="button" className="icon-button" aria-label={t.threads.options(title)}>
            <Ellipsis aria-hidden />
          </button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="start" sideOffset={4} collisionPadding={8}>
            <DropdownMenu.Item className="menu-item" onSelect={() => setRenaming(true)}>
              {t.threads.rename}
            </DropdownMenu.Item>
            <DropdownMenu.Separator className="menu-line" />
            {(["markdown", "html", "print"] as const).map((format) => (
              <DropdownMenu.Item key={format} className="menu-item" onSelect={() => onExport(format)}>
                {t.threads.exports[format]}
              </DropdownMenu.Item>
            ))}
            <DropdownMenu.Separator className="menu-line" />
            <DropdownMenu.Item className="menu-item bad" onSelect={onRemove}>
              {t.threads.remove}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </div>
  );
});

function Rename({ thread, onClose }: { thread: Thread; onClose: () => void }) {
  const [title, setTitle] = useState(thread.title);
  const save = () => {
    onClose();
    const to = title.trim();
    if (to === "" || to === thread.title) return;
    changeThread(thread.id, (x) => ({ ...x, title: to }));
    sendJSON("PATCH", `/v1/threads/${encodeURIComponent(thread.id)}`, { title: to })
      .catch((err: unknown) => toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" }))
      .finally(() => changed(keys.threads));
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Enter" && !e.nativeEvent.isComposing) save();
    if (e.key === "Escape") {
      e.preventDefault();
      onClose();
    }
  };
  return <input className="field rename" autoFocus aria-label={t.threads.renameLabel} value={title} onChange={(e) => setTitle(e.target.value)} onBlur={save} onKeyDown={onKeyDown} />;
}
