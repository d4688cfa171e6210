import { BookOpen, PlugZap } from "lucide-react";
import { useDoctor, useServerStatus } from "../api/queries";
import { t } from "../strings";
import { Command } from "../ui/Command";

export const builtIn = (name: string): boolean => name === "reader" || name.startsWith("reader");

/** The command that a hint ends with, if it names one. */
function commandIn(hint: string): string | undefined {
  return /: (ollama .+)$/.exec(hint)?.[1];
}

/**
 * Says which model answers when that needs saying: the built-in reader (on the
 * first screen), or one that can't be reached, with the command that mends it.
 */
export function ModelNotice({ compact = false }: { compact?: boolean }) {
  const model = useServerStatus().data?.model;
  const broken = model?.reachable === false;
  const checks = useDoctor(broken).data;
  const name = model?.name ?? "";
  if (broken) {
    const check = checks?.find((c) => c.name === "model" && !c.ok);
    const hint = model.hint || check?.hint || "";
    const mend = commandIn(hint);
    const problem = model.error || check?.message || "";
    return (
      <section className="model-notice" data-tone="bad" role="alert">
        <PlugZap aria-hidden />
        <div>
          <strong>{name ? t.model.unreachable(name) : t.model.missing}</strong>
          <p>{[problem && `${problem}.`, mend ? t.model.unreachableExplain : t.model.unreachableLook].filter(Boolean).join(" ")}</p>
          <Command text={mend ?? t.model.find} />
        </div>
      </section>
    );
  }
  if (compact || !builtIn(name)) return null;
  return (
    <details className="model-notice">
      <summary>
        <BookOpen aria-hidden />
        {t.model.reader}
      </summary>
      <p>{t.model.readerExplain}</p>
      <Command text={t.model.readerCommand} />
      <p className="faint">{t.model.readerCommandNote}</p>
    </details>
  );
}
