import { Contrast, Search } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { Notice } from "../answer/Notice";
import { ApiError } from "../api/client";
import { useText } from "../api/queries";
import { useDark } from "../app/theme";
import { t } from "../strings";
import { announce } from "../ui/announce";
import { CopyButton } from "../ui/CopyButton";
import { useWindowEvent } from "../ui/hooks";
import { IconButton } from "../ui/IconButton";
import { useStore } from "../ui/store";
import { noFinding, type Finding } from "./find";
import { FindBar } from "./FindBar";
import { paperDimmed, togglePaper } from "./paper";
import { PdfView } from "./PdfView";
import { PictureView } from "./PictureView";
import type { Place } from "./place";
import { QuoteBox } from "./QuoteBox";
import { TextView } from "./TextView";

type Look = "original" | "text";

// Below this part of a quote's letters, the page does not show what was quoted.
const enough = 0.35;

/** Formats whose original the page can show. */
const drawn: ReadonlySet<string> = new Set(["pdf", "image"]);

/** A document opened at a place: its real page where that can be drawn, else its text. */
export function Viewer({ place }: { place: Place }) {
  // Another file is looked at anew; another place in the same file is only gone to.
  return <FileViewer key={place.fileUrl} place={place} />;
}

function FileViewer({ place }: { place: Place }) {
  const canDraw = drawn.has(place.format);
  const [look, setLook] = useState<Look>(canDraw ? "original" : "text");
  const [broken, setBroken] = useState("");
  const [found, setFound] = useState<{ quote: Place["quote"]; coverage: number; pictureOnly: boolean }>();
  const [finding, setFinding] = useState<Finding>(noFinding);
  const { quote } = place;
  const onFound = useCallback((coverage: number, pictureOnly: boolean) => setFound({ quote, coverage, pictureOnly }), [quote]);
  const showsText = look === "text" || !canDraw || broken !== "";
  const isPdf = place.format === "pdf";
  const lost = !showsText && isPdf && quote && found?.quote === quote && found.coverage < enough;

  const panelFind = () => setFinding((f) => ({ ...f, open: true }));
  useWindowEvent("keydown", (e) => {
    if (e.key.toLowerCase() !== "f" || !(e.ctrlKey || e.metaKey) || e.shiftKey || e.altKey) return;
    if (!document.activeElement?.closest(".source-panel, .source-sheet") || (!showsText && !isPdf)) return;
    e.preventDefault();
    panelFind();
  });

  const lead = (
    <div className="looks" role="group" aria-label={t.panel.viewAs}>
      {(["original", "text"] as const).map((l) => (
        <button key={l} type="button" aria-pressed={look === l} onClick={() => setLook(l)}>
          {t.panel[l]}
        </button>
      ))}
    </div>
  );
  const trail = (
    <>
      <PaperSwitch shown={!showsText} />
      {(showsText || isPdf) && (
        <IconButton label={t.panel.findIn} data-on={finding.open} onClick={panelFind}>
          <Search aria-hidden />
        </IconButton>
      )}
      {quote && <CopyButton text={() => quote.text} label={t.panel.copyQuote} />}
    </>
  );
  const below = (
    <>
      {finding.open && <FindBar finding={finding} onChange={setFinding} onClose={() => setFinding(noFinding)} />}
      {broken && <Notice tone="info">{t.panel.noOriginal}</Notice>}
      {lost && <QuoteBox text={found.pictureOnly ? t.panel.pictureOnly : t.panel.notExact} quote={quote.text} />}
    </>
  );
  const original = isPdf ? (
    <PdfView place={place} finding={finding} onFinding={setFinding} onBroken={setBroken} onFound={onFound} lead={lead} trail={trail} below={below} />
  ) : (
    <>
      <div className="pdf-tools">
        {lead}
        <span className="spring" />
        {trail}
      </div>
      {below}
      <PictureView url={place.fileUrl} alt={t.panel.original} framed={place.framed === true} onBroken={setBroken} />
    </>
  );
  return (
    <div className="viewer" data-look={showsText ? "text" : "original"}>
      {showsText ? (
        <>
          <div className="pdf-tools">
            {canDraw && !broken && lead}
            <span className="spring" />
            {trail}
          </div>
          {below}
          <TextOf place={place} finding={finding} onFinding={setFinding} />
        </>
      ) : (
        original
      )}
    </div>
  );
}

/** Only the dark theme dims the paper, so only there it can be chosen. */
function PaperSwitch({ shown }: { shown: boolean }) {
  const dark = useDark();
  const dimmed = useStore(paperDimmed);
  useEffect(() => {
    document.documentElement.dataset["paper"] = dark && dimmed ? "dim" : "white";
  }, [dark, dimmed]);
  if (!dark || !shown) return null;
  return (
    <IconButton label={t.panel.paper} aria-pressed={dimmed} data-on={dimmed} onClick={togglePaper}>
      <Contrast aria-hidden />
    </IconButton>
  );
}

interface TextProps {
  place: Place;
  finding: Finding;
  onFinding: (change: (f: Finding) => Finding) => void;
}

function TextOf({ place, finding, onFinding }: TextProps) {
  const { data, error } = useText(place.textUrl);
  const quote = place.quote?.text ?? "";
  useEffect(() => {
    if (data && quote) announce(t.panel.quote + ": " + quote.slice(0, 300));
  }, [data, quote]);
  if (error) {
    const text = error instanceof ApiError && error.status === 404 ? t.panel.gone : error.message;
    return quote ? <QuoteBox text={text} quote={quote} /> : <Notice tone="bad">{text}</Notice>;
  }
  if (!data) return <p className="faint viewer-note">{t.panel.loading}</p>;
  return <TextView extract={data} quote={place.span} page={place.pages[0]} finding={finding} onFinding={onFinding} />;
}
