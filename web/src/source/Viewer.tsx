import { useCallback, useEffect, useMemo, useState } from "react";
import { ApiError } from "../api/client";
import { useText } from "../api/queries";
import type { Doc } from "../api/types";
import { announce } from "../ui/announce";
import { Notice } from "../answer/Notice";
import { t } from "../strings";
import type { ByteSpan } from "./blocks";
import { PdfView } from "./PdfView";
import { TextView } from "./TextView";

export interface Place {
  doc: Doc;
  version: string;
  pages: readonly number[];
  quote: string;
  span?: ByteSpan;
}

type Look = "original" | "text";

// Below this part of a quote's letters, the page does not show what was quoted.
const enough = 0.35;

/** A document opened at a place: its real page where it is a PDF, else its text. */
export function Viewer({ place }: { place: Place }) {
  const isPdf = place.doc.format === "pdf";
  const [look, setLook] = useState<Look>(isPdf ? "original" : "text");
  const [broken, setBroken] = useState("");
  const [coverage, setCoverage] = useState<number>();
  const onBroken = useCallback((why: string) => setBroken(why), []);
  const pages = useMemo(() => [...place.pages], [place.pages]);
  const showsText = look === "text" || !isPdf || broken !== "";
  const lost = !showsText && place.quote !== "" && coverage !== undefined && coverage < enough;
  const looks = (
    <div className="looks" role="group" aria-label={t.panel.viewAs}>
      {(["original", "text"] as const).map((l) => (
        <button key={l} type="button" aria-pressed={look === l} onClick={() => setLook(l)}>
          {t.panel[l]}
        </button>
      ))}
    </div>
  );
  return (
    <div className="viewer" data-look={showsText ? "text" : "original"}>
      {isPdf && !broken && showsText && <div className="pdf-tools">{looks}</div>}
      {broken && <Notice tone="info">{t.panel.noOriginal}</Notice>}
      {lost && <QuoteBox text={t.panel.notExact} quote={place.quote} />}
      {showsText ? (
        <TextOf place={place} />
      ) : (
        <PdfView url={fileUrl(place.doc.id, place.version)} pages={pages} quote={place.quote} onBroken={onBroken} onFound={setCoverage} lead={looks} />
      )}
    </div>
  );
}

export function fileUrl(id: string, version: string): string {
  return `/v1/documents/${encodeURIComponent(id)}/file${version ? `?version=${encodeURIComponent(version)}` : ""}`;
}

function TextOf({ place }: { place: Place }) {
  const { data, error } = useText(place.doc.id, place.version);
  useEffect(() => {
    if (data) announce(t.panel.quote + ": " + place.quote.slice(0, 300));
  }, [data, place.quote]);
  if (error) {
    const text = error instanceof ApiError && error.status === 404 ? t.panel.gone : error.message;
    return place.quote ? <QuoteBox text={text} quote={place.quote} /> : <Notice tone="bad">{text}</Notice>;
  }
  if (!data) return <p className="faint viewer-note">{t.panel.loading}</p>;
  return <TextView key={`${place.doc.id} ${place.version}`} extract={data} quote={place.span} page={place.pages[0]} />;
}

/** The quote itself, for when its place can't be shown. */
export function QuoteBox({ text, quote, passage }: { text: string; quote: string; passage?: string }) {
  const at = passage ? passage.indexOf(quote) : -1;
  return (
    <div className="quote-box">
      <p className="faint">{text}</p>
      <blockquote className="quote">
        {passage && at >= 0 ? (
          <>
            {passage.slice(0, at)}
            <mark>{quote}</mark>
            {passage.slice(at + quote.length)}
          </>
        ) : (
          <mark>{quote}</mark>
        )}
      </blockquote>
    </div>
  );
}
