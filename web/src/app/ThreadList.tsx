import { Ellipsis, Search } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { memo, useMemo, useState, type KeyboardEvent } from "react";
import { remove, sendJSON } from "../api/client";
import { changed, keys, queryClient, useThreads } from "../api/queries";
import type { Thread } from "../api/types";
import { forget } from "../ask/draft";
import type { Format } from "../export/exportThread";
import { t } from "../strings";
import { useStore } from "../ui/store";
import { toast } from "../ui/toasts";
import { going, removeLater } from "../ui/undo";
import { Link } from "./Link";
import { go, here, usePlace } from "./router";

export function ThreadList() {
  const { view } = usePlace();
  const threads = useThreads();
  const hidden = useStore(going);
  const [find, setFind] = useState("");
  const shown = useMemo(() => {
    const words = find.trim().toLowerCase();
    return (threads.data ?? []).filter((x) => !hidden.has(`thread:${x.id}`) && x.title.toLowerCase().includes(words));
  }, [threads.data, hidden, find]);
  const current = view.name === "thread" ? view.id : "";
  const any = (threads.data?.length ?? 0) > 0;
  return (
    <section className="threads" aria-label={t.threads.title}>
      {any && (
        <label className="search-field">
          <Search aria-hidden />
          <input id="find-thread" type="search" className="field" placeholder={t.threads.find} aria-label={t.threads.find} value={find} onChange={(e) => setFind(e.target.value)} />
        </label>
      )}
      <div className="thread-list">
        {threads.isSuccess && shown.length === 0 && <p className="faint list-note">{any ? t.threads.noMatch : t.threads.none}</p>}
        {byAge(shown).map(([label, list]) => (
          <div key={label} role="group" aria-label={label}>
            <h2 className="list-label">{label}</h2>
            {list.map((x) => (
              <ThreadItem key={x.id} thread={x} current={x.id === current} />
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

/** Newest first, under the days people remember. */
function byAge(threads: readonly Thread[]): [string, Thread[]][] {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const day = 86_400_000;
  const groups = new Map<string, Thread[]>();
  for (const x of threads) {
    const at = Date.parse(x.updated_at);
    const label = at >= midnight ? t.threads.today : at >= midnight - day ? t.threads.yesterday : at >= midnight - 7 * day ? t.threads.week : t.threads.earlier;
    const group = groups.get(label);
    if (group) group.push(x);
    else groups.set(label, [x]);
  }
  return [...groups];
}

const ThreadItem = memo(function ThreadItem({ thread, current }: { thread: Thread; current: boolean }) {
  const [renaming, setRenaming] = useState(false);
  const title = thread.title || t.threads.untitled;
  if (renaming) return <Rename thread={thread} onClose={() => setRenaming(false)} />;
  const onRemove = () => {
    if (here().view.name === "thread" && current) go({ view: { name: "new" } });
    removeLater(`thread:${thread.id}`, t.threads.removed(title), async () => {
      await remove(`/v1/threads/${encodeURIComponent(thread.id)}`);
      forget(thread.id);
      await queryClient.invalidateQueries({ queryKey: keys.threads });
    });
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
    queryClient.setQueryData<Thread[]>(keys.threads, (old) => old?.map((x) => (x.id === thread.id ? { ...x, title: to } : x)));
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
