import { useState } from "react";
import { t } from "../strings";

/** "20 / 84": the page that is seen; another number goes to that page. */
export function PageField({ page, of, onGo }: { page: number; of: number; onGo: (page: number) => void }) {
  const [typed, setTyped] = useState<string>();
  const submit = () => {
    const n = Math.round(Number(typed));
    setTyped(undefined);
    if (typed !== undefined && typed.trim() !== "" && Number.isFinite(n)) onGo(Math.min(Math.max(1, n), of));
  };
  return (
    <span className="page-field">
      <input
        inputMode="numeric"
        aria-label={t.panel.pageLabel}
        size={Math.max(2, String(of).length)}
        value={typed ?? String(page)}
        onFocus={(e) => e.target.select()}
        onChange={(e) => setTyped(e.target.value)}
        onBlur={submit}
        onKeyDown={(e) => {
          if (e.key === "Enter") {
            e.preventDefault();
            submit();
            e.currentTarget.select();
          }
          if (e.key === "Escape" && typed !== undefined) {
            e.preventDefault();
            setTyped(undefined);
          }
        }}
      />
      <span aria-hidden>{t.panel.ofPages(of)}</span>
      <span className="visually-hidden" aria-live="polite">
        {t.panel.page(page, of)}
      </span>
    </span>
  );
}
