import { memo, useId, useMemo, useState } from "react";
import type { Citation, WebSource } from "../api/types";
import { openSource, usePlacePart } from "../app/router";
import type { Footnote, RunView } from "../run/view";
import { t } from "../strings";
import { cardsOf, lookedAt, type Card } from "./cards";
import { Cover } from "./Cover";
import { openNote, pagesOf, useOpenNumber } from "./FootnoteMark";
import { webAddress } from "./web";

// So many cards stand below an answer; a button shows the others.
const few = 4;

/** What the answer rests on, as cards in the order of their footnotes, and what else was looked at. */
export function Sources({ view }: { view: RunView }) {
  const cards = useMemo(() => cardsOf(view.citations), [view.citations]);
  const rest = useMemo(() => lookedAt(view), [view]);
  const [all, setAll] = useState(false);
  const open = useOpenNumber(view.messageId);
  if (cards.length === 0 && rest.length === 0) return null;
  // The card of the open footnote is never among those that are put away.
  const hidesOpen = cards.slice(few).some((card) => card.notes.some((c) => c.n === open));
  const shown = all || hidesOpen ? cards : cards.slice(0, few);
  return (
    <section className="sources" aria-label={t.sources.list}>
      {shown.length > 0 && (
        <ol className="cards">
          {shown.map((card) => (
            <SourceCard key={card.key} card={card} messageId={view.messageId} open={card.notes.find((c) => c.n === open)?.n} />
          ))}
        </ol>
      )}
      <div className="sources-more">
        {shown.length < cards.length && (
          <button type="button" className="more" onClick={() => setAll(true)}>
            {t.sources.moreCards(cards.length - shown.length)}
          </button>
        )}
        {rest.length > 0 && <LookedAt found={rest} messageId={view.messageId} alone={cards.length === 0} />}
      </div>
    </section>
  );
}

/** open: the one of its footnotes that is open. */
const SourceCard = memo(function SourceCard({ card, messageId, open }: { card: Card; messageId: string; open: number | undefined }) {
  const [first] = card.notes;
  const where = pagesOf(first);
  return (
    <li className="card" data-open={open !== undefined} data-notes={card.notes.length}>
      <Cover citation={first} />
      <div className="card-body">
        <div className="card-head">
          <span className="card-title">{first.title}</span>
          {where && <span className="card-page">{where}</span>}
        </div>
        {card.notes.map((c) => (
          <CardNote key={c.n} note={c} messageId={messageId} isOpen={c.n === open} />
        ))}
      </div>
    </li>
  );
});

/** One footnote of a card. The first one's button covers the whole card. */
function CardNote({ note, messageId, isOpen }: { note: Footnote; messageId: string; isOpen: boolean }) {
  const quote = note.quote.replace(/\s+/g, " ").trim();
  return (
    <button type="button" className="card-note" aria-expanded={isOpen} data-note={note.n} onClick={() => openNote(messageId, note.n)}>
      <span className="source-number">{note.n}</span>
      <span className="card-quote">
        {quote || t.sources.wholePage}
        {note.query && note.query !== note.quote && <code className="card-query">{note.query}</code>}
        <span className="visually-hidden">
          {" "}
          {note.title} {pagesOf(note)}
        </span>
      </span>
    </button>
  );
}

/** Passages that were found and not cited, as a plain list. */
function LookedAt({ found, messageId, alone }: { found: readonly Citation[]; messageId: string; alone: boolean }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <button type="button" className="more" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {alone ? t.sources.lookedAt(found.length) : t.sources.moreLookedAt(found.length)}
      </button>
      <ul id={id} className="looked-at" hidden={!open}>
        {open && found.map((c) => <Passage key={c.n} citation={c} messageId={messageId} />)}
      </ul>
    </>
  );
}

function Passage({ citation: c, messageId }: { citation: Citation; messageId: string }) {
  const isOpen = usePlacePart(({ source }) => source?.kind === "found" && source.messageId === messageId && source.n === c.n);
  const where = [pagesOf(c), c.heading.split(" › ").at(-1)].filter(Boolean).join(" · ");
  return (
    <li>
      <button type="button" className="passage" aria-expanded={isOpen} onClick={() => openSource({ kind: "found", messageId, n: c.n })}>
        <span className="passage-title">{c.title}</span>
        {where && <span className="passage-where">{where}</span>}
      </button>
    </li>
  );
}

export function WebSources({ sources }: { sources: readonly WebSource[] }) {
  if (sources.length === 0) return null;
  return (
    <section className="web-sources" aria-label={t.sources.web}>
      <ul>
        {sources.map((s) => (
          <li key={s.url}>
            <WebLink source={s} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function WebLink({ source }: { source: WebSource }) {
  const at = webAddress(source.url);
  if (!at) return <>{source.title || source.url}</>;
  return (
    <>
      <a href={at.href} target="_blank" rel="noreferrer noopener external">
        {source.title || at.host}
      </a>{" "}
      <span className="faint">{at.host}</span>
    </>
  );
}
