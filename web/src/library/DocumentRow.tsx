import { CircleAlert, Code, Ellipsis, FileText, FileType, Globe, Hash } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { memo } from "react";
import { remove } from "../api/client";
import { keys, queryClient } from "../api/queries";
import type { Doc } from "../api/types";
import { openSource, usePlace } from "../app/router";
import { ago, size, t } from "../strings";
import { removeLater } from "../ui/undo";
import { askAbout } from "./askAbout";

const icons: Record<string, typeof FileText> = { pdf: FileType, html: Globe, markdown: Hash, code: Code };

export const DocumentRow = memo(function DocumentRow({ doc }: { doc: Doc }) {
  const { source } = usePlace();
  const isOpen = source?.kind === "document" && source.id === doc.id;
  const Icon = icons[doc.format] ?? FileText;
  const open = () => openSource({ kind: "document", id: doc.id });
  return (
    <div className="document" data-open={isOpen} data-status={doc.status} data-document={doc.id}>
      <Icon aria-hidden className="document-icon" />
      <div className="document-body">
        <button type="button" className="document-title" onClick={open} disabled={doc.status === "failed" && doc.chunks === 0}>
          {doc.title || doc.name}
        </button>
        <div className="document-facts">{facts(doc)}</div>
        {doc.error && (
          <div className="document-error">
            <CircleAlert aria-hidden /> {doc.error}
          </div>
        )}
        {doc.notice && <div className="document-notice">{doc.notice}</div>}
      </div>
      <Progress doc={doc} />
      <Menu doc={doc} onOpen={open} />
    </div>
  );
});

function facts(d: Doc): string {
  const ready = d.status === "ready";
  return [
    d.title && d.title !== d.name ? d.name : "",
    d.folder,
    d.category,
    d.pages ? t.library.pages(d.pages) : "",
    ready && d.chunks_kept > 0 ? t.library.changedChunks(d.chunks_embedded, d.chunks) : ready ? t.library.chunks(d.chunks) : "",
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
  return (
    <span className="status" data-status={doc.status}>
      {label}
      <progress max={1} value={doc.status === "processing" ? (doc.progress ?? 0) : undefined} aria-label={label} />
    </span>
  );
}

function Menu({ doc, onOpen }: { doc: Doc; onOpen: () => void }) {
  const title = doc.title || doc.name;
  const onRemove = () =>
    removeLater(`document:${doc.id}`, t.library.removed(title), async () => {
      await remove(`/v1/documents/${encodeURIComponent(doc.id)}`);
      await Promise.all([queryClient.invalidateQueries({ queryKey: keys.documents }), queryClient.invalidateQueries({ queryKey: keys.status })]);
    });
  return (
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
          <DropdownMenu.Separator className="menu-line" />
          <DropdownMenu.Item className="menu-item bad" onSelect={onRemove}>
            {t.library.remove}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
