import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { useTools } from "../api/queries";
import { isDone } from "../api/types";
import type { RunView } from "../run/view";
import { t } from "../strings";
import { Steps } from "./Steps";
import { currentActivity, foldedSteps, shownSteps } from "./steps";
import { Thinking } from "./Thinking";

/**
 * One quiet line above the answer: what is being done now, later what was done.
 * It unfolds into thinking and steps, and folds away when the answer is done.
 */
export function Work({ view }: { view: RunView }) {
  const done = isDone(view.status);
  const [unfolded, setUnfolded] = useState({ open: false, done });
  const id = useId();
  const tools = useTools();
  const open = unfolded.open && unfolded.done === done;
  const steps = shownSteps(view);
  const line = done ? foldedSteps(view, tools) || t.run.thought : currentActivity(view, tools);
  if (steps.length === 0 && view.thinking === "") {
    return done ? null : (
      <div className="activity">
        <span className="pulse" aria-hidden />
        {line}
      </div>
    );
  }
  return (
    <div className="work">
      <button type="button" className="fold" aria-expanded={open} aria-controls={id} onClick={() => setUnfolded({ open: !open, done })}>
        {done ? <ChevronRight aria-hidden className="fold-arrow" /> : <span className="pulse" aria-hidden />}
        <span className="fold-line">{line}</span>
        {!done && <ChevronRight aria-hidden className="fold-arrow" />}
      </button>
      <div id={id} className="work-detail" hidden={!open}>
        {open && (
          <>
            <Thinking view={view} />
            <Steps steps={steps} />
          </>
        )}
      </div>
    </div>
  );
}
