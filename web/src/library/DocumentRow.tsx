import { CircleAlert, Code, Ellipsis, FileText, FileType, Globe, Hash } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { memo, useState } from "react";
import { remove, sendJSON } from "../api/client";
import { changed, keys, useFormats } from "../api/queries";
import type { Doc } from "../api/types";
import { openSource, usePlacePart } from "../app/router";
import { ago, size, t } from "../strings";
import { removeNow } from "../ui/undo";
import { toast } from "../ui/toasts";
import { askAbout } from "./askAbout";
import { EditDocument } from "./EditDocument";
import { TryAgain } from "./Failed";
import { restoreDocument } from "./restore";
import { takeIn } from "./takeIn";

/** By the kind of a format. */
const icons: Record<string, typeof FileText> = { pages: FileType, web: Globe, markup: Hash, code: Code };

export const DocumentRow = memo(function DocumentRow({ doc }: { doc: Doc }) {
  const isOpen = usePlacePart(({ source }) => source?.kind === "document" && source.id === doc.id);
  const format = useFormats().get(doc.format);
  const Icon = icons[format?.kind ?? ""] ?? FileText;
  const open = () => openSource({ kind: "document", id: doc.id });
  return (
    <div className="document" data-open={isOpen} data-status={doc.status} data-document={doc.id}>
      <Icon aria-hidden className="document-icon" data-kind={format?.kind} />
      <div className="document-body">
        <button type="button" className="document-title" onClick={open} disabled={doc.status === "failed" && doc.chunks === 0}>
          {doc.title || doc.name}
        </button>
        <div className="document-facts" title={format?.label}>{facts(doc)}</div>
        {doc.tags && doc.tags.length > 0 && (
          <ul className="tags" aria-label={t.library.fields.tags}>
            {doc.tags.map((tag) => (
              <li key={tag}>{tag}</li>
            ))}
          </ul>
        )}
        {doc.error && (
          <div className="document-error">
            <CircleAlert aria-hidden /> {doc.error}
          </div>
        )}
        {doc.status === "processing" && doc.stage === "wait" && <div className="document-notice">{t.library.away}</div>}
        {doc.notice && <div className="document-notice">{doc.notice}</div>}
      </div>
      <Progress doc={doc} />
      {doc.status === "failed" && <TryAgain id={doc.id} title={doc.title || doc.name} />}
      <Menu doc={doc} onOpen={open} />
    </div>
  );
});

function facts(d: Doc): string {
  const ready = d.status === "ready";
  return [
    d.title && d.title !== d.name ? d.name : "",
    d.category,
    d.pages ? t.library.pages(d.pages) : "",
    ready && d.chunks_kept > 0 ? t.library.changedChunks(d.chunks_embedded, d.chunks, d.chunks_kept) : ready ? t.library.chunks(d.chunks) : "",
    size(d.bytes),
    ready ? ago(d.changed_at) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

function Progress({ doc }: { doc: Doc }) {
  if (doc.status === "ready") return null;
  if (doc.status === "failed") return <span className="status" data-status="failed">{t.library.statuses.failed}</span>;
  const label = doc.status === "queued" ? t.library.statuses.queued : (t.library.stages[doc.stage ?? ""] ?? t.library.statuses.processing);
  const far = [
    doc.pages_done && doc.pages ? t.library.pagesDone(doc.pages_done, doc.pages) : "",
    doc.eta_seconds ? t.library.eta(doc.eta_seconds) : "",
  ].filter(Boolean);
  return (
    <span className="status" data-status={doc.status}>
      {[label, ...far].join(" · ")}
      <progress max={1} value={doc.status === "processing" ? (doc.progress ?? 0) : undefined} aria-label={label} />
    </span>
  );
}

function Menu({ doc, onOpen }: { doc: Doc; onOpen: () => void }) {
  const title = doc.title || doc.name;
  const [editing, setEditing] = useState(false);
  const inWork = doc.status === "queued" || doc.status === "processing";
  const onCancel = async () => {
    try {
      const document = await sendJSON<Doc>("POST", `/v1/documents/${encodeURIComponent(doc.id)}/cancel`);
      takeIn(new Map([[doc.id, document]]));
    } catch (err) {
      toast({ text: err instanceof Error ? err.message : String(err), tone: "bad" });
    }
  };
  const onRemove = () =>
    removeNow(
      `document:${doc.id}`,
      t.library.removed(title),
      async () => {
        await remove(`/v1/documents/${encodeURIComponent(doc.id)}`);
        takeIn(new Map([[doc.id, undefined]]));
        changed(keys.removed);
      },
      () => restoreDocument(doc.id),
    );
  return (
    <>
      {editing && <EditDocument doc={doc} onClose={() => setEditing(false)} />}
      <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <button type="button" className="icon-button" aria-label={t.library.options(title)}>
          <Ellipsis aria-hidden />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
          <DropdownMenu.Item className="menu-item" onSelect={onOpen}>
            {t.library.open}
          </DropdownMenu.Item>
          <DropdownMenu.Item className="menu-item" onSelect={() => askAbout(doc.id)}>
            {t.library.ask}
          </DropdownMenu.Item>
          <DropdownMenu.Item className="menu-item" onSelect={() => setEditing(true)}>
            {t.library.edit}
          </DropdownMenu.Item>
          {inWork && (
            <DropdownMenu.Item className="menu-item" onSelect={onCancel}>
              {t.library.cancel}
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Separator className="menu-line" />
          <DropdownMenu.Item className="menu-item bad" onSelect={onRemove}>
            {t.library.remove}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </>
  );
}
