import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "../strings";
import { IconButton } from "./IconButton";

export function CopyButton({ text, label = t.copy }: { text: () => string; label?: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <IconButton label={done ? t.copied : label} onClick={async () => setDone(await copy(text()))}>
      {done ? <Check aria-hidden /> : <Copy aria-hidden />}
    </IconButton>
  );
}

/** The clipboard API needs a secure page; a token-protected one on the local network is none. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "visually-hidden";
    document.body.append(area);
    area.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way on an insecure page
    const ok = document.execCommand("copy");
    area.remove();
    return ok;
  }
}
