import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { t } from "../strings";
import { IconButton } from "../ui/IconButton";
import { sayCount, stepTo, useSaid, type Finding } from "./find";

interface Props {
  finding: Finding;
  onChange: (change: (f: Finding) => Finding) => void;
  onClose: () => void;
}

/** Search within the open document: Enter goes to the next hit, Shift+Enter to the one before, Esc away. */
export function FindBar({ finding, onChange, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useSaid(finding);
  useEffect(() => field.current?.select(), []);
  const step = (by: number) => onChange((f) => stepTo(f, by));
  return (
    <div className="find-bar" role="search">
      <input
        ref={field}
        className="field"
        aria-label={t.panel.findIn}
        placeholder={t.panel.findIn}
        value={finding.query}
        onChange={(e) => {
          const query = e.target.value;
          onChange((f) => ({ ...f, query, at: 0, asked: f.asked + 1 }));
        }}
        onKeyDown={(e) => {
          if (e.key === "Enter" && !e.nativeEvent.isComposing) {
            e.preventDefault();
            step(e.shiftKey ? -1 : 1);
          }
          if (e.key === "Escape") {
            e.preventDefault(); // only the search, not the document
            onClose();
          }
        }}
      />
      <span className="find-count">{sayCount(finding)}</span>
      <IconButton label={t.panel.previousHit} disabled={finding.hits === 0} onClick={() => step(-1)}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton label={t.panel.nextHit} disabled={finding.hits === 0} onClick={() => step(1)}>
        <ChevronDown aria-hidden />
      </IconButton>
      <IconButton label={t.panel.endFind} onClick={onClose}>
        <X aria-hidden />
      </IconButton>
    </div>
  );
}
