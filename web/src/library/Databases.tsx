import { Database as DatabaseIcon, FilePlus } from "lucide-react";
import { useEffect, useState } from "react";
import { Notice } from "../answer/Notice";
import { ApiError, remove, request, sendJSON } from "../api/client";
import { changed, keys, queryClient, useDatabases } from "../api/queries";
import type { Database } from "../api/types";
import { t } from "../strings";
import { useStore } from "../ui/store";
import { going, removeNow } from "../ui/undo";
import { pickFiles } from "./files";
import { LibraryHead } from "./LibraryHead";
import { restoreDatabase } from "./restore";

/** The databases that answers may query; they are only ever read. */
export default function Databases() {
  const databases = useDatabases();
  const hidden = useStore(going);
  const shown = (databases.data ?? []).filter((d) => !hidden.has(`database:${d.id}`));
  const without = databases.error instanceof ApiError && databases.error.status === 404;
  useEffect(() => {
    document.title = `${t.databases.title} · ${t.app}`;
  }, []);
  return (
    <div className="library">
      <LibraryHead at="databases" summary={t.databases.about} />
      {without ? <p className="faint library-note">{t.databases.without}</p> : <Add />}
      {databases.error && !without && <Notice tone="bad">{databases.error.message}</Notice>}
      {databases.isPending && <p className="faint library-note">{t.loading}</p>}
      {databases.data && shown.length === 0 && <p className="faint library-note">{t.databases.none}</p>}
      <ul className="databases" tabIndex={shown.length > 0 ? 0 : undefined} aria-label={t.databases.title}>
        {shown.map((d) => (
          <DatabaseCard key={d.id} database={d} />
        ))}
      </ul>
    </div>
  );
}

function Add() {
  const [source, setSource] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setFailure("");
    try {
      await work();
      setSource("");
    } catch (err) {
      setFailure(err instanceof ApiError ? [err.message, err.hint].filter(Boolean).join(" ") : String(err));
    } finally {
      setBusy(false);
      changed(keys.databases);
    }
  };
  const upload = async () => {
    const files = await pickFiles("files");
    await run(async () => {
      for (const { file } of files) {
        const body = new FormData();
        body.append("file", file, file.name);
        await request("/v1/databases", { method: "POST", body });
      }
    });
  };
  return (
    <form
      className="library-fields"
      onSubmit={(e) => {
        e.preventDefault();
        void run(() => sendJSON("POST", "/v1/databases", { source: source.trim() }));
      }}
    >
      <label className="search-field">
        <DatabaseIcon aria-hidden />
        <input
          className="field"
          autoComplete="off"
          spellCheck={false}
          placeholder={t.databases.source}
          aria-label={t.databases.sourceLabel}
          value={source}
          onChange={(e) => setSource(e.target.value)}
        />
      </label>
      <button type="submit" className="button primary" disabled={busy || source.trim() === ""}>
        {t.databases.connect}
      </button>
      <button type="button" className="button" disabled={busy} onClick={upload}>
        <FilePlus aria-hidden />
        {t.databases.upload}
      </button>
      {failure && <Notice tone="bad">{failure}</Notice>}
    </form>
  );
}

function DatabaseCard({ database: d }: { database: Database }) {
  const onRemove = () =>
    removeNow(
      `database:${d.id}`,
      t.databases.removed(d.name),
      async () => {
        await remove(`/v1/databases/${encodeURIComponent(d.id)}`);
        queryClient.setQueryData<Database[]>(keys.databases, (old) => old?.filter((other) => other.id !== d.id));
        changed(keys.databases, keys.removed);
      },
      () => restoreDatabase(d.id),
    );
  return (
    <li className="database">
      <div className="database-head">
        <h2>{d.name}</h2>
        <span className="faint">{[d.kind, d.source].filter(Boolean).join(" · ")}</span>
        <span className="spring" />
        <button type="button" className="button quiet" onClick={onRemove} aria-label={t.databases.removeLabel(d.name)}>
          {t.databases.remove}
        </button>
      </div>
      {d.error && <Notice tone="bad">{d.error}</Notice>}
      <ul>
        {(d.tables ?? []).map((table) => (
          <li key={table.name}>
            <strong>{table.name}</strong> <span className="faint">{t.databases.rows(table.rows, table.more_rows ?? false)}</span>
            <div className="faint columns">{(table.columns ?? []).map((c) => (typeof c === "string" ? c : [c.name, c.type].filter(Boolean).join(" "))).join(", ")}</div>
          </li>
        ))}
      </ul>
    </li>
  );
}
