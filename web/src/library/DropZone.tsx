import { Check, CircleAlert, X } from "lucide-react";
import { useEffect, useLayoutEffect, useState } from "react";
import { t } from "../strings";
import { IconButton } from "../ui/IconButton";
import { useStore } from "../ui/store";
import { trayMs } from "../ui/times";
import { attachTarget } from "../ask/attachments";
import { droppedFiles } from "./files";
import { addFiles, dismissUploads, uploads, type Upload } from "./uploads";

function hasFiles(e: DragEvent): boolean {
  return e.dataTransfer?.types.includes("Files") ?? false;
}

/** Files may be dropped anywhere on the page, from the moment it is seen. */
export function DropZone() {
  const [over, setOver] = useState(false);
  useLayoutEffect(() => {
    const onOver = (e: DragEvent) => {
      if (!hasFiles(e)) return;
      e.preventDefault();
      if (e.dataTransfer) e.dataTransfer.dropEffect = "copy";
      setOver(true);
    };
    const onLeave = (e: DragEvent) => {
      if (e.relatedTarget === null) setOver(false); // out of the window, not from one element to the next
    };
    const onDrop = (e: DragEvent) => {
      setOver(false);
      if (!hasFiles(e) || !e.dataTransfer) return;
      e.preventDefault();
      const attachHere = e.target instanceof Element && e.target.closest(".ask-box") ? attachTarget.get() : undefined;
      void droppedFiles(e.dataTransfer).then((files) => (attachHere ? attachHere(files.map((p) => p.file)) : addFiles(files)));
    };
    window.addEventListener("dragover", onOver);
    window.addEventListener("dragleave", onLeave);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragover", onOver);
      window.removeEventListener("dragleave", onLeave);
      window.removeEventListener("drop", onDrop);
    };
  }, []);
  return over ? (
    <div className="drop-zone" aria-hidden>
      <div>{t.library.drop}</div>
    </div>
  ) : null;
}

/** Files on their way, in a corner, wherever one is on the page. */
export function UploadTray() {
  const list = useStore(uploads);
  const busy = list.some((u) => u.state === "waiting" || u.state === "sending");
  const failed = list.some((u) => u.state === "failed");
  const done = list.filter((u) => u.state === "added" || u.state === "failed").length;
  useEffect(() => {
    if (busy || failed || list.length === 0) return;
    const timer = setTimeout(dismissUploads, trayMs);
    return () => clearTimeout(timer);
  }, [busy, failed, list]);
  if (list.length === 0) return null;
  const part = list.reduce((sum, u) => sum + (u.state === "failed" ? 1 : u.progress), 0) / list.length;
  return (
    <section className="tray" aria-label={t.library.add}>
      <div className="tray-head">
        <strong>{busy ? t.library.uploading(done, list.length) : t.library.uploaded(list.filter((u) => u.state === "added").length)}</strong>
        {!busy && (
          <IconButton label={t.library.dismiss} onClick={dismissUploads}>
            <X aria-hidden />
          </IconButton>
        )}
      </div>
      {busy && <progress max={1} value={part} aria-label={t.library.uploading(done, list.length)} />}
      <ul>
        {list
          .filter((u) => u.state !== "waiting")
          .slice(-6)
          .map((u) => (
            <TrayLine key={u.id} upload={u} />
          ))}
      </ul>
    </section>
  );
}

function TrayLine({ upload: u }: { upload: Upload }) {
  return (
    <li data-state={u.state}>
      {u.state === "added" && <Check aria-hidden />}
      {u.state === "failed" && <CircleAlert aria-hidden />}
      {u.state === "sending" && <span className="pulse" aria-hidden />}
      <span>{u.note ? t.library.notAdded(u.name, u.note) : u.name}</span>
    </li>
  );
}
