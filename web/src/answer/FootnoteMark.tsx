import { HoverCard } from "radix-ui";
import { createContext, useContext, useEffect, useId, useRef } from "react";
import type { Citation } from "../api/types";
import { openSource, usePlace, usePlacePart, type SourceRef } from "../app/router";
import { t } from "../strings";
import { useMedia } from "../ui/hooks";
import { Store, usePart } from "../ui/store";
import { webAddress } from "./web";

interface Scope {
  messageId: string;
  citations: readonly Citation[];
}

/** The message whose footnotes the marks inside mean. */
export const FootnoteScope = createContext<Scope>({ messageId: "", citations: [] });

/** The mark whose quote is shown because it is pointed at, one at most; and what the quote may lie over. */
const pointedAt = new Store<{ id: string; answer: Element | null } | undefined>(undefined);

/** Where in its source a citation stands: its pages, or the host of a web page. */
export function pagesOf(c: Citation): string {
  if (c.kind === "web") return webAddress(c.url)?.host ?? "";
  return t.sources.pages(c.pages ?? []);
}

function labelOf(c: Citation): string {
  return t.sources.footnote(c.n, c.title, pagesOf(c));
}

/** The number of the footnote of a message that is open beside it. */
export function useOpenNumber(messageId: string): number | undefined {
  return usePlacePart(({ source }) => numberOf(source, messageId));
}

function numberOf(source: SourceRef | undefined, messageId: string): number | undefined {
  return source?.kind === "note" && source.messageId === messageId ? source.n : undefined;
}

export function openNote(messageId: string, n: number): void {
  openSource({ kind: "note", messageId, n });
}

/** The small raised number after a statement. Hovering shows the quote, where there is something to hover with. */
export function FootnoteMark({ n }: { n: number }) {
  const { messageId, citations } = useContext(FootnoteScope);
  // An answer may have hundreds of them: only the one that opens or closes is drawn again.
  const isOpen = usePlacePart(({ source }) => numberOf(source, messageId) === n);
  const canHover = useMedia("(hover: hover)");
  const citation = citations.find((c) => c.n === n);
  if (!citation) return null;
  const mark = (
    <button type="button" className="footnote-mark" aria-label={labelOf(citation)} aria-expanded={isOpen} data-note={n} onClick={() => openNote(messageId, n)}>
      {n}
    </button>
  );
  return canHover ? <WithQuote citation={citation}>{mark}</WithQuote> : mark;
}

/** Shows the quote while the mark is pointed at; not once it was clicked, and never when a source opens. */
function WithQuote({ citation, children }: { citation: Citation; children: React.ReactElement }) {
  const id = useId();
  const shown = usePart(pointedAt, (at) => (at?.id === id ? at : undefined));
  const clicked = useRef(false);
  const answer = useRef<Element | null>(null);
  const hide = () => pointedAt.get()?.id === id && pointedAt.set(undefined);
  return (
    <HoverCard.Root open={shown !== undefined} onOpenChange={(show) => (show && !clicked.current ? pointedAt.set({ id, answer: answer.current }) : hide())} openDelay={150} closeDelay={80}>
      <HoverCard.Trigger
        asChild
        onPointerEnter={(e) => {
          answer.current = e.currentTarget.closest(".scroller");
          clicked.current = false;
          if (pointedAt.get()?.id !== id) pointedAt.set(undefined);
        }}
        onClick={() => {
          clicked.current = true;
          hide();
        }}
      >
        {children}
      </HoverCard.Trigger>
      <HoverCard.Portal>
        {/* It stays above the answer: over the source beside it, it would hide what one reads there. */}
        <HoverCard.Content className="hover-card" side="top" sideOffset={6} collisionPadding={12} collisionBoundary={shown?.answer}>
          <Until ends={hide} />
          <NoteHead citation={citation} />
          {citation.quote && <blockquote className="quote">{tidy(citation.quote)}</blockquote>}
        </HoverCard.Content>
      </HoverCard.Portal>
    </HoverCard.Root>
  );
}

/** Ends what it is in when another source opens, or the mark goes. */
function Until({ ends }: { ends: () => void }) {
  const { source } = usePlace();
  useEffect(() => ends, [source]); // eslint-disable-line react-hooks/exhaustive-deps -- it ends the same, whenever it was made
  return null;
}

/** A quote without the gaps that the layout of its page left in it. */
export function tidy(quote: string): string {
  return quote.replace(/\n\s*/g, "\n").trim();
}

export function NoteHead({ citation }: { citation: Citation }) {
  const pages = pagesOf(citation);
  return (
    <div className="note-head">
      <span className="note-title">{citation.title}</span>
      {pages && <span className="note-page">{pages}</span>}
      {citation.heading && <span className="note-heading">{citation.heading}</span>}
    </div>
  );
}
