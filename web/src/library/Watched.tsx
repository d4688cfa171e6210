import { FolderSync } from "lucide-react";
import { useEffect, useState } from "react";
import { Notice } from "../answer/Notice";
import { ApiError, remove, sendJSON } from "../api/client";
import { changed, keys, useWatches } from "../api/queries";
import type { Watch } from "../api/types";
import { ago, t } from "../strings";
import { Command } from "../ui/Command";
import { useStore } from "../ui/store";
import { going, removeLater } from "../ui/undo";
import { LibraryHead } from "./LibraryHead";

/** The folders of the server's machine that the library follows. */
export default function Watched() {
  const watches = useWatches();
  const hidden = useStore(going);
  const shown = (watches.data ?? []).filter((w) => !hidden.has(`watch:${w.id}`));
  useEffect(() => {
    document.title = `${t.watched.title} · ${t.app}`;
  }, []);
  return (
    <div className="library">
      <LibraryHead at="watched" summary={t.watched.about} />
      <Follow />
      {watches.error && <Notice tone="bad">{watches.error.message}</Notice>}
      {watches.isPending && <p className="faint library-note">{t.loading}</p>}
      {watches.data && shown.length === 0 && (
        <div className="faint library-note watched-none">
          <p>{t.watched.none}</p>
          <Command text={t.watched.command} />
        </div>
      )}
      <ul className="databases" tabIndex={shown.length > 0 ? 0 : undefined} aria-label={t.watched.title}>
        {shown.map((w) => (
          <WatchCard key={w.id} watch={w} />
        ))}
      </ul>
    </div>
  );
}

function Follow() {
  const [path, setPath] = useState("");
  const [failure, setFailure] = useState("");
  const follow = async () => {
    setFailure("");
    try {
      await sendJSON("POST", "/v1/watches", { path: path.trim() });
      setPath("");
    } catch (err) {
      setFailure(err instanceof ApiError ? [err.message, err.hint].filter(Boolean).join("; ") : String(err));
    }
    changed(keys.watches);
  };
  return (
    <form
      className="library-fields"
      onSubmit={(e) => {
        e.preventDefault();
        void follow();
      }}
    >
      <label className="search-field">
        <FolderSync aria-hidden />
        <input className="field" autoComplete="off" spellCheck={false} placeholder={t.watched.path} aria-label={t.watched.pathLabel} value={path} onChange={(e) => setPath(e.target.value)} />
      </label>
      <button type="submit" className="button primary" disabled={path.trim() === ""}>
        {t.watched.follow}
      </button>
      {failure && <Notice tone="bad">{failure}</Notice>}
    </form>
  );
}

function WatchCard({ watch: w }: { watch: Watch }) {
  const onEnd = () =>
    removeLater(`watch:${w.id}`, t.watched.ended(w.path), async () => {
      await remove(`/v1/watches/${encodeURIComponent(w.id)}`);
      changed(keys.watches);
    });
  const byServer = w.by === "server";
  const facts = [byServer && w.state !== "starting" ? t.watched.files(w.files) : "", w.folder ? t.watched.into(w.folder) : "", t.watched.since(ago(w.since)), byServer ? "" : t.watched.byCommand];
  return (
    <li className="database" data-state={w.state}>
      <div className="database-head">
        <h2>{w.path}</h2>
        <span className="watch-state">
          <span className={w.state === "starting" ? "pulse" : "dot"} aria-hidden />
          {t.watched.states[w.state] ?? w.state}
        </span>
        <span className="spring" />
        {byServer && (
          <button type="button" className="button quiet" onClick={onEnd} aria-label={t.watched.endOf(w.path)}>
            {t.watched.end}
          </button>
        )}
      </div>
      <p className="faint">{facts.filter(Boolean).join(" · ")}</p>
      {w.error && <Notice tone="bad">{w.error}</Notice>}
    </li>
  );
}
