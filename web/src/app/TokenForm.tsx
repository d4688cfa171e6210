import { useState, type SyntheticEvent } from "react";
import { auth, setToken } from "../api/client";
import { queryClient } from "../api/queries";
import { t } from "../strings";
import { useStore } from "../ui/store";

export function TokenForm() {
  const { token } = useStore(auth);
  const [value, setValue] = useState("");
  const [remember, setRemember] = useState(true);
  const submit = (e: SyntheticEvent) => {
    e.preventDefault();
    if (value.trim() === "") return;
    queryClient.clear();
    setToken(value.trim(), remember);
  };
  return (
    <main className="empty">
      <form className="token-form" onSubmit={submit}>
        <h1>{t.token.title}</h1>
        <p className="faint">{t.token.explain}</p>
        {token !== undefined && <p role="alert">{t.token.refused}</p>}
        <label>
          {t.token.label}
          <input className="field" type="password" autoComplete="current-password" autoFocus value={value} onChange={(e) => setValue(e.target.value)} />
        </label>
        <label className="choice">
          <input type="checkbox" checked={remember} onChange={(e) => setRemember(e.target.checked)} />
          <span>{t.token.remember}</span>
        </label>
        <button type="submit" className="button primary" disabled={value.trim() === ""}>
          {t.token.submit}
        </button>
      </form>
    </main>
  );
}
