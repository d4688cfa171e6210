import { CircleAlert, Info, WifiOff } from "lucide-react";
import type { ReactNode } from "react";
import type { Connection } from "../run/follow";
import type { RunView } from "../run/view";
import { t } from "../strings";

export function Notice({ tone, children }: { tone: "info" | "bad" | "offline"; children: ReactNode }) {
  const Icon = tone === "bad" ? CircleAlert : tone === "offline" ? WifiOff : Info;
  return (
    <div className="notice" data-tone={tone} role={tone === "bad" ? "alert" : undefined}>
      <Icon aria-hidden />
      <div>{children}</div>
    </div>
  );
}

/** What has to be said about how a run went, or goes. */
export function RunNotices({ view, connection }: { view: RunView; connection: Connection | "idle" | "ended" | undefined }) {
  return (
    <>
      {view.attempt > 1 && <Notice tone="info">{t.run.continued}</Notice>}
      {view.retracted > 0 && !view.finished && <Notice tone="info">{t.run.retracted}</Notice>}
      {!view.finished && connection === "waiting" && <Notice tone="offline">{t.run.reconnecting}</Notice>}
      {view.error && (
        <Notice tone="bad">
          <strong>{view.error.message || t.run.failed}</strong>
          {view.error.hint && <p>{view.error.hint}</p>}
        </Notice>
      )}
      {view.status === "failed" && !view.error && <Notice tone="bad">{t.run.failed}</Notice>}
      {view.status === "stopped" && <Notice tone="info">{t.run.stopped}</Notice>}
      {view.status === "interrupted" && <Notice tone="info">{t.run.interrupted}</Notice>}
      {view.status === "completed" && view.text.trim() === "" && !view.error && <Notice tone="info">{t.run.empty}</Notice>}
    </>
  );
}
