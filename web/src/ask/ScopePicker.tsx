import { ListFilter } from "lucide-react";
import { Popover } from "radix-ui";
import { useState } from "react";
import { useDocumentsNamed, useLabels } from "../api/documents";
import type { Scope } from "../api/types";
import { t } from "../strings";
import { useSettled } from "../ui/hooks";
import { isWhole } from "./draft";

interface Props {
  scope: Scope;
  onChange: (scope: Scope) => void;
}

const most = 60;

export function ScopePicker({ scope, onChange }: Props) {
  const [find, setFind] = useState("");
  const whole = isWhole(scope);
  return (
    <Popover.Root onOpenChange={() => setFind("")}>
      <Popover.Trigger asChild>
        <button type="button" className="icon-button" data-on={!whole} aria-label={t.ask.scope} title={t.ask.scope}>
          <ListFilter aria-hidden />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="popover scope-picker" side="top" align="start" sideOffset={8} collisionPadding={12} aria-label={t.scope.title}>
          <input
            type="search"
            className="field"
            placeholder={t.scope.find}
            aria-label={t.scope.find}
            value={find}
            onChange={(e) => setFind(e.target.value)}
          />
          <Choices scope={scope} onChange={onChange} find={find.trim()} />
          {!whole && (
            <button type="button" className="button quiet" onClick={() => onChange({})}>
              {t.scope.clear}
            </button>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Choices({ scope, onChange, find }: Props & { find: string }) {
  const wanted = useSettled(find);
  const named = useDocumentsNamed(wanted, most);
  const labels = [useLabels("categories", wanted, most), useLabels("folders", wanted, most), useLabels("tags", wanted, most)];
  const [categories = [], folders = [], tags = []] = labels.map((list) => list.data?.names.slice(0, most));
  const documents = named.data ?? [];
  const chosen = new Set(scope.documents ?? []);
  const toggle = (id: string) => {
    const documents = chosen.has(id) ? [...chosen].filter((other) => other !== id) : [...chosen, id];
    onChange({ ...scope, documents });
  };
  const toggleTag = (tag: string) => {
    const had = scope.tags ?? [];
    const now = had.includes(tag) ? had.filter((other) => other !== tag) : [...had, tag];
    onChange({ ...scope, tags: now.length > 0 ? now : undefined });
  };
  if (named.isPending || labels.some((list) => list.isPending)) return <p className="faint">{t.loading}</p>;
  if (categories.length + folders.length + tags.length + documents.length === 0) return <p className="faint">{t.scope.noMatch}</p>;
  return (
    <div className="choices">
      <Group title={t.scope.categories}>
        {categories.map((c) => (
          <Choice key={c} name={c} on={scope.category === c} onChange={(on) => onChange({ ...scope, category: on ? c : undefined })} />
        ))}
      </Group>
      <Group title={t.scope.folders}>
        {folders.map((f) => (
          <Choice key={f} name={f} on={scope.folder === f} onChange={(on) => onChange({ ...scope, folder: on ? f : undefined })} />
        ))}
      </Group>
      <Group title={t.scope.tags}>
        {tags.map((tag) => (
          <Choice key={tag} name={tag} on={scope.tags?.includes(tag) ?? false} onChange={() => toggleTag(tag)} />
        ))}
      </Group>
      <Group title={t.scope.documents}>
        {documents.map((d) => (
          <Choice key={d.id} name={d.title || d.name} on={chosen.has(d.id)} onChange={() => toggle(d.id)} />
        ))}
      </Group>
    </div>
  );
}

function Group({ title, children }: { title: string; children: React.ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <fieldset className="choice-group">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

function Choice({ name, on, onChange }: { name: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="choice">
      <input type="checkbox" checked={on} onChange={(e) => onChange(e.target.checked)} />
      <span>{name}</span>
    </label>
  );
}
