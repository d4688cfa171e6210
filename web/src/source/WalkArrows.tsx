import { ChevronLeft, ChevronRight } from "lucide-react";
import { t } from "../strings";
import { IconButton } from "../ui/IconButton";
import type { Walk } from "./notes";

/** "‹ 1 of 4 ›": to the footnotes before and after this one. */
export function WalkArrows({ walk }: { walk: Walk }) {
  const { at, of, to } = walk;
  // A button that is disabled under the focus would lose it.
  return (
    <div className="walk" role="group" aria-label={t.panel.walk}>
      <IconButton label={t.panel.previousNote} keys="K" aria-disabled={at <= 1} onClick={() => to(-1)}>
        <ChevronLeft aria-hidden />
      </IconButton>
      <span className="walk-at">{t.panel.noteOf(at, of)}</span>
      <IconButton label={t.panel.nextNote} keys="J" aria-disabled={at >= of} onClick={() => to(1)}>
        <ChevronRight aria-hidden />
      </IconButton>
    </div>
  );
}
