import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, Stethoscope } from "lucide-react";
import { useEffect, useState } from "react";
import { Notice } from "../answer/Notice";
import { ApiError, getJSON, sendJSON } from "../api/client";
import { useDoctor, useServerStatus } from "../api/queries";
import type { Check, Setting, SettingsReport, Trial } from "../api/types";
import { ago, duration, t } from "../strings";
import { announce } from "../ui/announce";
import { Command } from "../ui/Command";

/** What is set, where it comes from, and whether what it names answers. */
export default function Settings() {
  const report = useQuery({
    queryKey: ["settings"],
    queryFn: ({ signal }) => getJSON<SettingsReport>("/v1/settings", signal),
  });
  useEffect(() => {
    document.title = `${t.settings.title} · ${t.app}`;
  }, []);
  const settings = report.data?.settings ?? [];
  return (
    <div className="settings">
      <h1>{t.settings.title}</h1>
      {report.error && <Notice tone="bad">{report.error.message}</Notice>}
      {report.isPending && <p className="faint">{t.loading}</p>}
      {report.data && (
        <>
          <section aria-labelledby="settings-models">
            <h2 id="settings-models">{t.settings.models}</h2>
            <ul className="trials">
              {settings.map((s) => s.test && <TrialCard key={s.key} setting={s} />)}
            </ul>
          </section>
          <Health />
          <section aria-labelledby="settings-all">
            <h2 id="settings-all">{t.settings.all}</h2>
            <p className="faint">{t.settings.how}</p>
            <Command text={report.data.file} />
            <List settings={settings} />
          </section>
        </>
      )}
    </div>
  );
}

function TrialCard({ setting }: { setting: Setting }) {
  const [state, setState] = useState<"testing" | Trial>();
  const name = t.settings.names[setting.key] ?? setting.key;
  const test = async () => {
    setState("testing");
    let result: Trial;
    try {
      result = await sendJSON<Trial>("POST", `/v1/settings/${encodeURIComponent(setting.key)}/test`);
    } catch (err) {
      const known = err instanceof ApiError ? err : undefined;
      result = { ok: false, message: known?.message ?? String(err), hint: known?.hint, took_ms: 0 };
    }
    setState(result);
    announce(result.message);
  };
  return (
    <li className="trial">
      <div className="trial-head">
        <div>
          <h3>{name}</h3>
          <code>{setting.value}</code>
        </div>
        <button type="button" className="button" disabled={state === "testing"} aria-label={t.settings.testOf(name)} onClick={() => void test()}>
          {state === "testing" ? t.settings.testing : t.settings.test}
        </button>
      </div>
      {state && state !== "testing" && <Result ok={state.ok} message={state.message} hint={state.hint} took={state.took_ms} />}
    </li>
  );
}

function Result({ ok, message, hint, took }: { ok: boolean; message: string; hint?: string; took?: number }) {
  return (
    <p className="trial-result" data-ok={ok}>
      {ok ? <CircleCheck aria-hidden /> : <CircleAlert aria-hidden />}
      <span>
        {message}
        {took !== undefined && took > 0 && <span className="faint"> · {duration(took)}</span>}
        {hint && <span className="trial-hint">{hint}</span>}
      </span>
    </p>
  );
}

function Health() {
  const [asked, setAsked] = useState(false);
  const doctor = useDoctor(asked);
  return (
    <section aria-labelledby="settings-health">
      <h2 id="settings-health">{t.settings.health}</h2>
      <LastBackup />
      {!asked && (
        <button type="button" className="button" onClick={() => setAsked(true)}>
          <Stethoscope aria-hidden />
          {t.settings.check}
        </button>
      )}
      {doctor.isFetching && !doctor.data && <p className="faint">{t.settings.testing}</p>}
      {doctor.error && <Notice tone="bad">{doctor.error.message}</Notice>}
      <ul className="checks">{doctor.data?.map((c: Check) => <CheckLine key={c.name} check={c} />)}</ul>
    </section>
  );
}

/** When the last backup was made, and whether the one after it failed. */
function LastBackup() {
  const backup = useServerStatus().data?.backup;
  if (!backup) return null;
  const { last, schedule } = backup;
  const made = last?.success ? t.settings.backup(ago(last.success), last.to) : t.settings.noBackup;
  const failed = last && !last.ok && last.error ? t.settings.backupFailed(last.error) : "";
  return (
    <>
      <p className="last-backup">{[made, schedule ? t.settings.backupSchedule(schedule) : ""].filter(Boolean).join("; ")}</p>
      {failed && <Notice tone="bad">{failed}</Notice>}
    </>
  );
}

function CheckLine({ check }: { check: Check }) {
  return (
    <li data-check={check.name}>
      <h3>{check.name}</h3>
      <Result ok={check.level === "ok"} message={check.message} hint={check.hint} />
    </li>
  );
}

function List({ settings }: { settings: readonly Setting[] }) {
  return (
    <dl className="setting-list">
      {settings.map((s) => (
        <div key={s.key}>
          <dt>
            <code>{s.key}</code>
          </dt>
          <dd>
            <span className="setting-value">{s.secret ? (s.set ? t.settings.secret : t.settings.unset) : s.value || t.settings.unset}</span>
            {s.origin && <span className="faint">{t.settings.from(s.origin)}</span>}
            <span className="setting-about">{s.about}</span>
            <span className="faint">{t.settings.variable(s.variable)}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
