import { CircleAlert } from "lucide-react";
import { useState } from "react";
import { useFailed } from "../api/documents";
import { t } from "../strings";
import { tryAgain, tryAllAgain } from "./retry";

/** Says how many documents could not be read, where there are some: a way to see only those, and to have them all tried again. */
export function Failed({ folder, only, onOnly }: { folder: string; only: boolean; onOnly: (only: boolean) => void }) {
  const failed = useFailed(folder).data;
  const [busy, setBusy] = useState(false);
  if (!only && (failed === undefined || failed.count === 0)) return null;
  const again = async () => {
    setBusy(true);
    await tryAllAgain(folder);
    setBusy(false);
  };
  const { count, more } = failed ?? { count: 0, more: false };
  return (
    <div className="failed-line">
      <CircleAlert aria-hidden />
      <span>{t.library.failed(count, more)}</span>
      <button type="button" className="button quiet" onClick={() => onOnly(!only)}>
        {only ? t.library.showAll : t.library.showFailed}
      </button>
      {count > 1 && (
        <button type="button" className="button quiet" disabled={busy} onClick={again}>
          {busy ? t.library.tryingAgain : t.library.tryAllAgain}
        </button>
      )}
    </div>
  );
}

/** Another try for one document. */
export function TryAgain({ id, title }: { id: string; title: string }) {
  const [busy, setBusy] = useState(false);
  const again = async () => {
    setBusy(true);
    await tryAgain(id);
    setBusy(false);
  };
  return (
    <button type="button" className="button quiet try-again" disabled={busy} aria-label={t.library.tryAgainOf(title)} onClick={again}>
      {t.retry}
    </button>
  );
}
