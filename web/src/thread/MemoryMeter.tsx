import type { Memory } from "../api/types";
import { t } from "../strings";

/** How full the conversation's memory is. */
export function MemoryMeter({ memory }: { memory: Memory }) {
  const part = memory.budget_chars > 0 ? Math.min(1, memory.used_chars / memory.budget_chars) : 0;
  const detail = t.run.memoryDetail(memory.used_chars, memory.budget_chars, memory.pairs, memory.dropped_pairs);
  return (
    <span className="memory" title={detail}>
      <meter min={0} max={1} value={part} high={0.9} aria-label={detail} />
      {t.run.memory(part)}
    </span>
  );
}
