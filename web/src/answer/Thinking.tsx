import { ChevronRight } from "lucide-react";
import { useId, useMemo, useState } from "react";
import type { RunView } from "../run/view";
import { t } from "../strings";
import { Markdown } from "./Markdown";

/** The model's thinking: folded away, pulsing while there is some, open at any time. */
export function Thinking({ view }: { view: RunView }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const text = useMemo(() => (open ? stretches(view.thinking, view.thinkingBreaks) : ""), [open, view.thinking, view.thinkingBreaks]);
  if (view.thinking === "" && !view.thinkingNow) return null;
  return (
    <div className="thinking" data-now={view.thinkingNow}>
      <button type="button" className="fold" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden className="fold-arrow" />
        {view.thinkingNow && <span className="pulse" aria-hidden />}
        {view.thinkingNow ? t.run.thinking : t.run.thought}
      </button>
      <div id={id} className="thinking-text" hidden={!open}>
        {open && <Markdown text={text} growing={view.thinkingNow} />}
      </div>
    </div>
  );
}

function stretches(text: string, breaks: number[]): string {
  const starts = [0, ...breaks];
  return starts.map((at, i) => text.slice(at, starts[i + 1])).join("\n\n");
}
