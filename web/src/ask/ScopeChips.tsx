import { Bookmark, Braces, FileText, Folder, Tag, X } from "lucide-react";
import { useDocumentsById } from "../api/documents";
import type { Doc, Scope } from "../api/types";
import { t } from "../strings";
import { isWhole } from "./draft";

export interface ScopePart {
  key: string;
  name: string;
  kind: "document" | "category" | "folder" | "tag" | "field";
  without: Scope;
}

/** What a scope is made of; docs are undefined until they are known. */
export function scopeParts(scope: Scope, docs: readonly Doc[] | undefined): ScopePart[] {
  const parts: ScopePart[] = [];
  if (scope.category) {
    parts.push({ key: "category", kind: "category", name: scope.category, without: { ...scope, category: undefined } });
  }
  if (scope.folder) parts.push({ key: "folder", kind: "folder", name: scope.folder, without: { ...scope, folder: undefined } });
  for (const tag of scope.tags ?? []) {
    parts.push({ key: `tag ${tag}`, kind: "tag", name: tag, without: { ...scope, tags: scope.tags?.filter((other) => other !== tag) } });
  }
  for (const [name, value] of Object.entries(scope.metadata ?? {})) {
    const rest = Object.entries(scope.metadata ?? {}).filter(([other]) => other !== name);
    parts.push({ key: `field ${name}`, kind: "field", name: `${name}: ${value}`, without: { ...scope, metadata: rest.length > 0 ? Object.fromEntries(rest) : undefined } });
  }
  for (const id of scope.documents ?? []) {
    const doc = docs?.find((d) => d.id === id);
    parts.push({
      key: id,
      kind: "document",
      name: doc ? doc.title || doc.name : docs ? t.scope.gone : t.scope.unknown,
      without: { ...scope, documents: scope.documents?.filter((other) => other !== id) },
    });
  }
  return parts;
}

const icons = { document: FileText, category: Bookmark, folder: Folder, tag: Tag, field: Braces };

const noIds: readonly string[] = [];

export function useScopeParts(scope: Scope): ScopePart[] {
  const docs = useDocumentsById(scope.documents ?? noIds);
  return scopeParts(scope, docs);
}

export function ScopeChips({ scope, onChange }: { scope: Scope; onChange: (scope: Scope) => void }) {
  const parts = useScopeParts(scope);
  if (isWhole(scope)) return null;
  return (
    <ul className="chips" aria-label={t.scope.label}>
      {parts.map((p) => {
        const Icon = icons[p.kind];
        return (
          <li key={p.key} className="chip">
            <Icon aria-hidden />
            <span className="chip-name">{p.name}</span>
            <button type="button" aria-label={t.scope.remove(p.name)} onClick={() => onChange(p.without)}>
              <X aria-hidden />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
