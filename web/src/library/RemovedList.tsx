import { Database, FileText, MessageSquareText } from "lucide-react";
import { useEffect, useState } from "react";
import { Notice } from "../answer/Notice";
import { change, type Rows } from "../api/paged";
import { keys, queryClient } from "../api/queries";
import { removedOrder, useRemoved } from "../api/removed";
import type { Removed } from "../api/types";
import { ago, day, t } from "../strings";
import { announce } from "../ui/announce";
import { toast } from "../ui/toasts";
import { VirtualRows } from "../ui/VirtualRows";
import { LibraryHead } from "./LibraryHead";
import { restore } from "./restore";

/** What was removed, and can be taken back for some days. */
export default function RemovedList() {
  const list = useRemoved();
  const rows = list.rows;
  useEffect(() => {
    document.title = `${t.removed.title} · ${t.app}`;
  }, []);
  return (
    <div className="library">
      <LibraryHead at="removed" summary={t.removed.about} />
      {list.error && (
        <Notice tone="bad">
          {list.error.message}{" "}
          <button type="button" className="button" onClick={list.retry}>
            {t.retry}
          </button>
        </Notice>
      )}
      {list.isPending && !list.error && <p className="faint library-note">{t.loading}</p>}
      {list.complete && rows.length === 0 && <p className="faint library-note">{t.removed.none}</p>}
      <VirtualRows className="rows" label={t.removed.title} count={rows.length} height={60} complete={list.complete} keyOf={(i) => rows[i]?.id ?? `${i}`} onShown={list.show}>
        {(i) => {
          const removed = rows[i]?.item;
          return removed ? <RemovedRow removed={removed} /> : null;
        }}
      </VirtualRows>
    </div>
  );
}

const icons = { document: FileText, thread: MessageSquareText, database: Database };

function RemovedRow({ removed }: { removed: Removed }) {
  const [busy, setBusy] = useState(false);
  const name = removed.name || t.threads.untitled;
  const Icon = icons[removed.kind];
  const onRestore = async () => {
    setBusy(true);
    try {
      await restore(removed);
      queryClient.setQueryData<Rows<Removed>>(keys.removed, (old) => old && change(old, new Map([[removedOrder.id(removed), undefined]]), removedOrder));
      announce(t.removed.restored(name));
      toast({ text: t.removed.restored(name) });
    } catch (err) {
      toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
      setBusy(false);
    }
  };
  return (
    <div className="document removed">
      <Icon aria-hidden className="document-icon" />
      <div className="document-body">
        <div className="removed-name">{name}</div>
        <div className="document-facts">{[t.removed.kinds[removed.kind], t.removed.when(ago(removed.removed_at)), t.removed.until(day(removed.until))].join(" · ")}</div>
      </div>
      <button type="button" className="button" disabled={busy} aria-label={t.removed.restoreOf(name)} onClick={onRestore}>
        {t.removed.restore}
      </button>
    </div>
  );
}
