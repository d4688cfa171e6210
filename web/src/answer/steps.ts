// A step of a run in a person's words.

import type { RunView, StepView } from "../run/view";
import { t } from "../strings";

export type StepState = "running" | "done" | "failed";

export interface StepWords {
  label: string;
  detail: string;
  result: string;
  ms?: number;
  state: StepState;
}

export function stepWords(s: StepView): StepWords {
  switch (s.kind) {
    case "tool": {
      const state: StepState = !s.done ? "running" : s.ok ? "done" : "failed";
      const label = state === "failed" ? t.run.toolFailed(s.tool) : t.run.tool(s.tool, s.done);
      const found = s.retrieval ? t.run.found(s.retrieval.chunks_found) : "";
      const result = s.error || s.summary || (s.table ? t.run.rowsOf(s.table.rows?.length ?? 0) : found);
      return { label, detail: s.detail, result, ms: s.durationMs, state };
    }
    case "analysis":
      return { label: t.run.analysed, detail: s.subQueries.join(" · "), result: "", state: "done" };
    case "cache":
      return { label: s.hit ? t.run.cacheHit : t.run.cacheMiss, detail: s.originalQuery, result: "", state: "done" };
    case "grading":
      return { label: t.run.graded(s.correct, s.ambiguous, s.incorrect), detail: "", result: "", state: "done" };
    case "reranking":
      return { label: t.run.reranked(s.inputCount, s.outputCount), detail: "", result: "", ms: s.durationMs, state: "done" };
  }
}

/** All steps in one line: what was done, each thing once, and how long it took. */
export function foldedSteps(view: RunView): string {
  const labels = new Map<string, number>();
  let ms = 0;
  const tools = view.steps.filter((s) => s.kind === "tool");
  for (const s of tools.length > 0 ? tools : view.steps) {
    const w = stepWords(s);
    ms += w.ms ?? 0;
    labels.set(w.label, (labels.get(w.label) ?? 0) + 1);
  }
  const words = [...labels].map(([label, times]) => (times > 1 ? `${label} ${times}×` : label));
  return [words.join(", "), ms > 0 ? t.run.total(ms) : ""].filter(Boolean).join(" · ");
}

/** What is being done at this moment, in one line. */
export function currentActivity(view: RunView): string {
  if (view.finished) return "";
  if (view.status === "queued" && view.queued > 0) return t.run.queued(view.queued);
  if (view.writing) return t.run.writing;
  const step = view.steps.findLast((s) => s.kind === "tool" && !s.done);
  if (step) return t.run.noted(stepWords(step).label, stepWords(step).detail);
  if (view.thinkingNow) return t.run.thinking;
  return view.position === 0 ? t.run.starting : t.run.working;
}
