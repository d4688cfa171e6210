import type { Memory } from "../api/types";
import { t } from "../strings";

// Below this part of its budget a thread's memory is no matter for whoever asks.
const nearlyFull = 0.8;

/** Said once a thread has become so long that answers no longer know all of it. */
export function MemoryMeter({ memory }: { memory: Memory }) {
  if (memory.budget_chars <= 0 || memory.used_chars / memory.budget_chars < nearlyFull) return null;
  return <span className="memory">{memory.dropped_pairs > 0 ? t.run.longForgets : t.run.long}</span>;
}
