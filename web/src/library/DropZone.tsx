import { useLayoutEffect, useState } from "react";
import { t } from "../strings";
import { attachTarget } from "../ask/attachments";
import { droppedFiles } from "./files";
import { addFiles } from "./uploads";

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
