import { HoverCard } from "radix-ui";
import { createContext, useContext, useState } from "react";
import type { Citation } from "../api/types";
import { openSource, usePlace } from "../app/router";
import { t } from "../strings";
import { webAddress } from "./web";
import { useMedia } from "../ui/hooks";

interface Scope {
  messageId: string;
  citations: readonly Citation[];
}

/** The message whose footnotes the marks inside mean. */
export const FootnoteScope = createContext<Scope>({ messageId: "", citations: [] });

/** Where in its source a citation stands: its pages, or the host of a web page. */
export function pagesOf(c: Citation): string {
  if (c.kind === "web") return webAddress(c.url)?.host ?? "";
  return t.sources.pages(c.pages ?? []);
}

function labelOf(c: Citation): string {
  return t.sources.footnote(c.n, c.title, pagesOf(c));
}

export function useOpenNote(messageId: string, n: number): { open: () => void; isOpen: boolean } {
  const { source } = usePlace();
  const isOpen = source?.kind === "note" && source.messageId === messageId && source.n === n;
  return { isOpen, open: () => openSource({ kind: "note", messageId, n }) };
}

/** The small raised number after a statement. Hovering shows the quote, where there is something to hover with. */
export function FootnoteMark({ n }: { n: number }) {
  const { messageId, citations } = useContext(FootnoteScope);
  const { open, isOpen } = useOpenNote(messageId, n);
  const [shows, setShows] = useState(false);
  const canHover = useMedia("(hover: hover)");
  const citation = citations.find((c) => c.n === n);
  if (!citation) return null;
  const mark = (
    <button
      type="button"
      className="footnote-mark"
      aria-label={labelOf(citation)}
      aria-expanded={isOpen}
      data-note={n}
      onClick={() => {
        setShows(false);
        open();
      }}
    >
      {n}
    </button>
  );
  if (!canHover) return mark;
  return (
    <HoverCard.Root open={shows && !isOpen} onOpenChange={setShows} openDelay={150} closeDelay={80}>
      <HoverCard.Trigger asChild>{mark}</HoverCard.Trigger>
      <HoverCard.Portal>
        <HoverCard.Content className="hover-card" side="top" sideOffset={6} collisionPadding={12}>
          <NoteHead citation={citation} />
          <blockquote className="quote">{tidy(citation.quote)}</blockquote>
        </HoverCard.Content>
      </HoverCard.Portal>
    </HoverCard.Root>
  );
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
