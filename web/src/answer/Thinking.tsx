import { useMemo } from "react";
import type { RunView } from "../run/view";
import { t } from "../strings";
import { Markdown } from "./Markdown";
import { withoutMarks } from "./marks";

/** The model's thinking, stretch by stretch. */
export function Thinking({ view }: { view: RunView }) {
  const text = useMemo(() => withoutMarks(stretches(view.thinking, view.thinkingBreaks)), [view.thinking, view.thinkingBreaks]);
  if (text === "") return null;
  return (
    <div className="thinking-text" tabIndex={0} role="group" aria-label={t.run.thought}>
      <Markdown text={text} growing={view.thinkingNow} />
    </div>
  );
}

function stretches(text: string, breaks: number[]): string {
  const starts = [0, ...breaks];
  return starts.map((at, i) => text.slice(at, starts[i + 1])).join("\n\n");
}
