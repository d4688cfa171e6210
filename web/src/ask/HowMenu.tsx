import { SlidersHorizontal } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useServerStatus } from "../api/queries";
import type { Mode, Think } from "../api/types";
import { t } from "../strings";
import type { HowToAsk } from "./draft";

/** Approach and thinking of the next questions. */
export function HowMenu({ how, onChange }: { how: HowToAsk; onChange: (how: HowToAsk) => void }) {
  const models = useServerStatus().data?.models ?? [];
  const model = models.includes(how.model) ? how.model : (models[0] ?? "");
  const changedFromPlain = how.mode !== "auto" || how.think !== "auto" || model !== (models[0] ?? "");
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <button type="button" className="icon-button" data-on={changedFromPlain} aria-label={t.ask.options} title={t.ask.options}>
          <SlidersHorizontal aria-hidden />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" side="top" align="start" sideOffset={8} collisionPadding={12}>
          <DropdownMenu.Label className="menu-label">{t.modes.mode}</DropdownMenu.Label>
          <DropdownMenu.RadioGroup value={how.mode} onValueChange={(mode) => onChange({ ...how, mode: mode as Mode })}>
            {(Object.keys(t.modes.modes) as Mode[]).map((m) => (
              <DropdownMenu.RadioItem key={m} className="menu-item" value={m}>
                <span>
                  {t.modes.modes[m][0]} <small>{t.modes.modes[m][1]}</small>
                </span>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="menu-line" />
          <DropdownMenu.Label className="menu-label">{t.modes.think}</DropdownMenu.Label>
          <DropdownMenu.RadioGroup value={how.think} onValueChange={(think) => onChange({ ...how, think: think as Think })}>
            {(Object.keys(t.modes.thinks) as Think[]).map((k) => (
              <DropdownMenu.RadioItem key={k} className="menu-item" value={k}>
                {t.modes.thinks[k]}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          {models.length > 1 && (
            <>
              <DropdownMenu.Separator className="menu-line" />
              <DropdownMenu.Label className="menu-label">{t.modes.model}</DropdownMenu.Label>
              <DropdownMenu.RadioGroup value={model} onValueChange={(to) => onChange({ ...how, model: to === models[0] ? "" : to })}>
                {models.map((m) => (
                  <DropdownMenu.RadioItem key={m} className="menu-item" value={m}>
                    {m}
                  </DropdownMenu.RadioItem>
                ))}
              </DropdownMenu.RadioGroup>
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
