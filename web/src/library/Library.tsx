import { FilePlus, FolderPlus } from "lucide-react";
import { useEffect } from "react";
import { useFoldersIn } from "../api/documents";
import { feed, inWork } from "../api/feed";
import { t } from "../strings";
import { useStore } from "../ui/store";
import { pickFiles } from "./files";
import { LibraryHead } from "./LibraryHead";
import { PassageSearch } from "./PassageSearch";
import { Shelves } from "./Shelves";
import { addFiles } from "./uploads";

/** The documents, folder by folder, and what stands in them. */
export default function Library({ folder, look }: { folder: string; look: "documents" | "passages" }) {
  const folders = useFoldersIn(folder);
  const counts = folders.data?.pages[0];
  const { queue } = useStore(feed);
  const reading = inWork(queue);
  const summary = [
    counts ? t.library.summary(counts.documents, counts.chunks) : "",
    reading > 0 ? t.library.beingRead(reading) : "",
    reading > 0 && queue?.eta_seconds ? t.library.eta(queue.eta_seconds) : "",
  ];

  useEffect(() => {
    document.title = `${t.library.title} · ${t.app}`;
  }, []);

  return (
    <div className="library">
      <LibraryHead at={look} folder={folder} summary={summary.filter(Boolean).join(" · ")}>
        <button type="button" className="button primary" onClick={async () => addFiles(await pickFiles("files"), folder)}>
          <FilePlus aria-hidden />
          {t.library.add}
        </button>
        <button type="button" className="button" onClick={async () => addFiles(await pickFiles("folder"), folder)}>
          <FolderPlus aria-hidden />
          {t.library.addFolder}
        </button>
      </LibraryHead>
      {look === "documents" ? <Shelves key={folder} folder={folder} folders={folders} /> : <PassageSearch folder={folder} />}
    </div>
  );
}
