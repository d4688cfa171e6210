import { File as FileIcon, X } from "lucide-react";
import { size, t } from "../strings";
import type { Attached } from "./attachments";

/** The files that go with the next question. */
export function AttachmentChips({ list, onRemove }: { list: readonly Attached[]; onRemove: (id: number) => void }) {
  if (list.length === 0) return null;
  return (
    <ul className="chips" aria-label={t.ask.attachments}>
      {list.map(({ id, file }) => (
        <li key={id} className="chip">
          <FileIcon aria-hidden />
          <span className="chip-name">{file.name}</span>
          <span>{size(file.size)}</span>
          <button type="button" aria-label={t.ask.detach(file.name)} onClick={() => onRemove(id)}>
            <X aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
