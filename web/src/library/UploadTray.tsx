import { Check, CircleAlert, Minus, X } from "lucide-react";
import { useEffect } from "react";
import { feed } from "../api/feed";
import { t } from "../strings";
import { IconButton } from "../ui/IconButton";
import { useStore } from "../ui/store";
import { trayMs } from "../ui/times";
import { remaining } from "./remaining";
import { dismissUploads, fewer, sameNames, uploads, type Line, type Uploads } from "./uploads";

/** Files on their way, in a corner, wherever one is on the page. */
export function UploadTray() {
  const now = useStore(uploads);
  const asked = useStore(sameNames).length;
  const busy = now.left > 0;
  const over = !busy && asked === 0;
  useEffect(() => {
    if (!over || now.failed > 0 || now.files === 0) return;
    const timer = setTimeout(dismissUploads, trayMs);
    return () => clearTimeout(timer);
  }, [over, now]);
  if (now.files === 0) return null;
  const head = busy ? t.library.uploading(now.done, now.files) : asked > 0 ? t.library.waitForAnswer(asked) : t.library.uploaded(now.added);
  return (
    <section className="tray" aria-label={t.library.add}>
      <div className="tray-head">
        <strong>{head}</strong>
        {over && (
          <IconButton label={t.library.dismiss} onClick={dismissUploads}>
            <X aria-hidden />
          </IconButton>
        )}
      </div>
      {busy && <progress max={1} value={now.bytes > 0 ? now.bytesSent / now.bytes : now.done / now.files} aria-label={head} />}
      {busy && <TimeLeft now={now} />}
      <ul>
        {fewer(now.lines).map((line) => (
          <TrayLine key={line.id} line={line} />
        ))}
      </ul>
    </section>
  );
}

function TimeLeft({ now }: { now: Uploads }) {
  const { queue } = useStore(feed);
  // eslint-disable-next-line react-hooks/purity -- each change of the uploads draws it again
  const seconds = (Date.now() - now.began) / 1000;
  const left = remaining({ seconds, files: now.files, filesDone: now.done, bytes: now.bytes, bytesSent: now.bytesSent }, queue);
  return left === undefined ? null : <p className="tray-left faint">{t.library.timeLeft(left)}</p>;
}

function TrayLine({ line }: { line: Line }) {
  return (
    <li data-state={line.state}>
      {line.state === "added" && <Check aria-hidden />}
      {line.state === "failed" && <CircleAlert aria-hidden />}
      {line.state === "skipped" && <Minus aria-hidden />}
      {line.state === "sending" && <span className="pulse" aria-hidden />}
      <span>{line.note ? t.library.notAdded(line.name, line.note) : line.name}</span>
    </li>
  );
}
