import { FilePlus, FolderPlus } from "lucide-react";
import { useEffect } from "react";
import { useDocuments } from "../api/queries";
import { t } from "../strings";
import { useStore } from "../ui/store";
import { going } from "../ui/undo";
import { pickFiles } from "./files";
import { LibraryHead } from "./LibraryHead";
import { PassageSearch } from "./PassageSearch";
import { Shelves } from "./Shelves";
import { addFiles } from "./uploads";

/** The documents, folder by folder, and what stands in them. */
export default function Library({ folder, look }: { folder: string; look: "documents" | "passages" }) {
  const documents = useDocuments();
  const hidden = useStore(going);
  const all = (documents.data ?? []).filter((d) => !hidden.has(`document:${d.id}`));
  const chunks = all.reduce((sum, d) => sum + d.chunks, 0);

  useEffect(() => {
    document.title = `${t.library.title} · ${t.app}`;
  }, []);

  return (
    <div className="library">
      <LibraryHead at={look} folder={folder} summary={t.library.summary(all.length, chunks)}>
        <button type="button" className="button primary" onClick={async () => addFiles(await pickFiles("files"), folder)}>
          <FilePlus aria-hidden />
          {t.library.add}
        </button>
        <button type="button" className="button" onClick={async () => addFiles(await pickFiles("folder"), folder)}>
          <FolderPlus aria-hidden />
          {t.library.addFolder}
        </button>
      </LibraryHead>
      {look === "documents" ? <Shelves folder={folder} docs={all} documents={documents} /> : <PassageSearch folder={folder} docs={all} />}
    </div>
  );
}
