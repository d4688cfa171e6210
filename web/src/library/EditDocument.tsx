import { Dialog } from "radix-ui";
import { useId, useState, type SubmitEvent } from "react";
import { ApiError, sendJSON } from "../api/client";
import { useLabels, type LabelKind } from "../api/documents";
import type { Doc } from "../api/types";
import { t } from "../strings";
import { useSettled } from "../ui/hooks";
import { takeIn } from "./takeIn";

/** As many names are offered while one types. */
const mostOffered = 50;

/** Title, folder, category and tags of a document; searches go by them at once. */
export function EditDocument({ doc, onClose }: { doc: Doc; onClose: () => void }) {
  const [failure, setFailure] = useState("");
  const save = async (e: SubmitEvent<HTMLFormElement>) => {
    e.preventDefault();
    const form = new FormData(e.currentTarget);
    const text = (name: string) => {
      const value = form.get(name);
      return typeof value === "string" ? value.trim() : "";
    };
    try {
      const document = await sendJSON<Doc>("PATCH", `/v1/documents/${encodeURIComponent(doc.id)}`, {
        title: text("title"),
        folder: text("folder"),
        category: text("category"),
        tags: text("tags")
          .split(",")
          .map((x) => x.trim())
          .filter(Boolean),
      });
      takeIn(new Map([[doc.id, document]]));
      onClose();
    } catch (err) {
      setFailure(err instanceof ApiError ? [err.message, err.hint].filter(Boolean).join(" ") : String(err));
    }
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title>{t.library.editTitle}</Dialog.Title>
          <form className="edit-document" onSubmit={save}>
            <Field name="title" label={t.library.fields.title} value={doc.title} />
            <Field name="folder" label={t.library.fields.folder} value={doc.folder} known="folders" />
            <Field name="category" label={t.library.fields.category} value={doc.category} known="categories" />
            <Field name="tags" label={t.library.fields.tags} value={doc.tags?.join(", ")} />
            {failure && (
              <p role="alert" className="document-error">
                {failure}
              </p>
            )}
            <div className="row end">
              <Dialog.Close className="button">{t.cancel}</Dialog.Close>
              <button type="submit" className="button primary">
                {t.save}
              </button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A text field; where its kind of names is known, those in use that go on with what is typed are offered. */
function Field({ name, label, value = "", known }: { name: string; label: string; value?: string; known?: LabelKind }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const names = useLabels(known ?? "folders", useSettled(typed.trim()), mostOffered, known !== undefined).data?.names ?? [];
  return (
    <label>
      <span>{label}</span>
      <input name={name} className="field" defaultValue={value} onChange={(e) => setTyped(e.target.value)} list={names.length > 0 ? id : undefined} />
      {names.length > 0 && (
        <datalist id={id}>
          {names.map((x) => (
            <option key={x} value={x} />
          ))}
        </datalist>
      )}
    </label>
  );
}
