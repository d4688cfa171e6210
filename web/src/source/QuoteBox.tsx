import { useMemo } from "react";
import type { Citation } from "../api/types";
import { Utf8Text } from "./bytes";
import { spanInText } from "./place";
import { Marked } from "./TextView";

/** The quote itself, for when its place can't be shown. */
export function QuoteBox({ text, quote }: { text: string; quote: string }) {
  return (
    <div className="quote-box">
      <p className="faint">{text}</p>
      <blockquote className="quote">
        <mark>{quote}</mark>
      </blockquote>
    </div>
  );
}

/** The passage of a citation with its words marked, where there is nothing else to open. */
export function PassageBox({ text, citation }: { text: string; citation: Citation }) {
  const passage = useMemo(() => {
    const span = spanInText(citation);
    return span && { text: new Utf8Text(citation.text ?? ""), marks: [{ ...span, kind: "quote" as const }] };
  }, [citation]);
  if (!passage) return <QuoteBox text={text} quote={citation.quote || (citation.text ?? "")} />;
  return (
    <div className="quote-box">
      <p className="faint">{text}</p>
      <blockquote className="quote">
        <Marked text={passage.text} start={0} end={passage.text.length} marks={passage.marks} />
      </blockquote>
    </div>
  );
}
