// A step of a run in a person's words.

import type { RunView, StepView } from "../run/view";
import type { ToolWords } from "../api/types";
import { t } from "../strings";
import { sourceKey } from "./cards";

export type StepState = "running" | "done" | "failed";

export interface StepWords {
  label: string;
  detail: string;
  result: string;
  ms?: number;
  state: StepState;
}

/** Tools by name. */
export type Tools = ReadonlyMap<string, ToolWords>;

export function stepWords(s: StepView, tools: Tools): StepWords {
  switch (s.kind) {
    case "tool": {
      const state: StepState = !s.done ? "running" : s.ok ? "done" : "failed";
      const words = tools.get(s.tool);
      const label = state === "failed" ? t.run.toolFailed(s.tool, words) : t.run.tool(s.tool, s.done, words);
      const found = s.retrieval ? t.run.found(s.retrieval.chunks_found) : "";
      const result = s.error || s.summary || (s.table ? t.run.rowsOf(s.table.rows?.length ?? 0) : found);
      return { label, detail: s.detail, result, ms: s.durationMs, state };
    }
    case "analysis":
      return { label: t.run.analysed, detail: s.subQueries.join(" · "), result: "", state: "done" };
    case "cache":
      return { label: t.run.cacheHit, detail: s.originalQuery, result: "", state: "done" };
    case "grading":
      return { label: t.run.nothingFits, detail: "", result: "", state: "done" };
    case "reranking":
      return { label: t.run.reranked(s.inputCount, s.outputCount), detail: "", result: "", ms: s.durationMs, state: "done" };
  }
}

/** The steps that tell a reader something: not that the answer was new, nor that what was found was good. */
export function shownSteps(view: RunView): StepView[] {
  return view.steps.filter((s) => (s.kind === "cache" ? s.hit : s.kind === "grading" ? s.action === "re-retrieve" : true));
}

/** All steps in one line: what was done, each thing once, and how long it took. */
export function foldedSteps(view: RunView, tools: Tools): string {
  const labels = new Map<string, number>();
  let ms = 0;
  const calls = view.steps.filter((s) => s.kind === "tool");
  for (const s of calls.length > 0 ? calls : shownSteps(view)) {
    const w = stepWords(s, tools);
    ms += w.ms ?? 0;
    labels.set(w.label, (labels.get(w.label) ?? 0) + 1);
  }
  const words = [...labels].map(([label, times]) => (times > 1 ? `${label} ${times}×` : label));
  return [words.join(", "), ms > 0 ? t.run.total(ms) : ""].filter(Boolean).join(" · ");
}

/** What is being done at this moment, in one line. */
export function currentActivity(view: RunView, tools: Tools): string {
  if (view.finished) return "";
  if (view.status === "queued" && view.queued > 0) return t.run.queued(view.queued);
  const step = view.writing ? undefined : view.steps.findLast((s) => s.kind === "tool" && !s.done);
  if (step) {
    const w = stepWords(step, tools);
    return t.run.noted(w.label, w.detail);
  }
  const sources = new Set(view.found.map((c) => sourceKey(c)));
  if (sources.size > 0) return view.found.every((c) => !c.kind) ? t.run.readingDocuments(sources.size) : t.run.readingSources(sources.size);
  if (view.writing) return t.run.writing;
  if (view.thinkingNow) return t.run.thinking;
  return view.position === 0 ? t.run.starting : t.run.working;
}
