import { useEffect, useState } from "react";
import { authHeaders, request } from "../api/client";

interface Props {
  url: string;
  alt: string;
  /** The picture as a whole is meant. */
  framed: boolean;
  onBroken: (why: string) => void;
}

/** A document that is a picture. It is fetched, because an image's address can't carry a token. */
export function PictureView({ url, alt, framed, onBroken }: Props) {
  const [src, setSrc] = useState("");
  useEffect(() => {
    const abort = new AbortController();
    let made = "";
    const load = async () => {
      const blob = await (await request(url, { headers: authHeaders(), signal: abort.signal })).blob();
      if (abort.signal.aborted) return;
      made = URL.createObjectURL(blob);
      setSrc(made);
    };
    load().catch((err: unknown) => !abort.signal.aborted && onBroken(err instanceof Error ? err.message : String(err)));
    return () => {
      abort.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [url, onBroken]);
  return (
    <div className="pdf-pages" tabIndex={0} role="region" aria-label={alt}>
      {src && <img className="picture" src={src} alt={alt} data-framed={framed || undefined} onError={() => onBroken("not a picture")} />}
    </div>
  );
}
