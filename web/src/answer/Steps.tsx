import { Check, X } from "lucide-react";
import { useState } from "react";
import { useTools } from "../api/queries";
import type { Table } from "../api/types";
import type { StepView, ToolStep } from "../run/view";
import { duration, t } from "../strings";
import { ResultTable } from "./ResultTable";
import { stepWords } from "./steps";

/** The steps to the answer. */
export function Steps({ steps }: { steps: readonly StepView[] }) {
  if (steps.length === 0) return null;
  return (
    <ol className="step-list">
      {steps.map((s) => (
        <StepLine key={s.key} step={s} />
      ))}
    </ol>
  );
}

function StepLine({ step }: { step: StepView }) {
  const [open, setOpen] = useState(false);
  const w = stepWords(step, useTools());
  const more = step.kind === "tool" && (step.output !== "" || step.input !== undefined || tableOf(step) !== undefined);
  return (
    <li className="step" data-state={w.state}>
      <span className="step-icon" aria-hidden>
        {w.state === "running" ? <span className="pulse" /> : w.state === "failed" ? <X /> : <Check />}
      </span>
      <div className="step-body">
        <div className="step-line">
          {more ? (
            <button type="button" className="step-label" aria-expanded={open} onClick={() => setOpen(!open)}>
              {w.label}
            </button>
          ) : (
            <span className="step-label">{w.label}</span>
          )}
          {w.state !== "running" && w.ms !== undefined && w.ms > 0 && <span className="step-time">{duration(w.ms)}</span>}
          {w.detail && !(open && tableOf(step)) && <span className="step-detail">{w.detail}</span>}
        </div>
        {w.result && <div className="step-result">{w.result}</div>}
        {open && step.kind === "tool" && <StepDetail step={step} />}
      </div>
    </li>
  );
}

function tableOf(step: StepView): Table | undefined {
  return step.kind === "tool" ? step.table : undefined;
}

function StepDetail({ step }: { step: ToolStep }) {
  return (
    <div className="step-detail-box">
      {step.input !== undefined && (
        <>
          <h4>{t.run.input}</h4>
          <pre tabIndex={0}>{typeof step.input === "string" ? step.input : JSON.stringify(step.input, undefined, 2)}</pre>
        </>
      )}
      {step.table && <ResultTable table={step.table} />}
      {step.output !== "" && !step.table && (
        <>
          <h4>{t.run.output}</h4>
          <pre tabIndex={0}>{step.output}</pre>
        </>
      )}
    </div>
  );
}
