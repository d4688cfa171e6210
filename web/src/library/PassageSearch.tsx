import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { Notice } from "../answer/Notice";
import { getJSON } from "../api/client";
import { useLabels } from "../api/documents";
import type { Passage, SearchResult } from "../api/types";
import { openSource } from "../app/router";
import { t } from "../strings";
import { useSettled } from "../ui/hooks";

const modes = ["auto", "lexical", "vector", "rrf", "mix"] as const;

/** A search in what the documents say, with how each half of it ranked what was found. */
export function PassageSearch({ folder }: { folder: string }) {
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  const [mode, setMode] = useState<string>("auto");
  const [category, setCategory] = useState("");
  const found = useQuery({
    queryKey: ["search", asked, mode, folder, category],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ q: asked, limit: "30", mode });
      if (folder) query.set("folder", folder);
      if (category) query.set("category", category);
      return getJSON<SearchResult>(`/v1/search?${query}`, signal);
    },
    enabled: asked !== "",
    staleTime: 30_000,
  });
  const passages = found.data?.passages ?? [];
  return (
    <>
      <form
        className="library-fields"
        role="search"
        onSubmit={(e) => {
          e.preventDefault();
          setAsked(text.trim());
        }}
      >
        <label className="search-field">
          <Search aria-hidden />
          <input type="search" className="field" placeholder={t.find.placeholder} aria-label={t.find.placeholder} value={text} onChange={(e) => setText(e.target.value)} />
        </label>
        <label className="category-field">
          <span>{t.find.mode}</span>
          <select className="field" value={mode} onChange={(e) => setMode(e.target.value)}>
            {modes.map((m) => (
              <option key={m} value={m}>
                {t.find.modes[m]}
              </option>
            ))}
          </select>
        </label>
        <CategoryField category={category} onChange={setCategory} />
        <button type="submit" className="button" disabled={text.trim() === ""}>
          {t.find.go}
        </button>
      </form>
      <div className="found" tabIndex={0} role="region" aria-label={t.find.results} aria-live="polite">
        {found.error && <Notice tone="bad">{found.error.message}</Notice>}
        {found.data?.warning && <Notice tone="info">{found.data.warning}</Notice>}
        {found.isFetching && <p className="faint library-note">{t.loading}</p>}
        {found.data && <p className="faint found-note">{t.find.summary(passages.length, found.data.chunks_searched, found.data.took_ms)}</p>}
        <ol>
          {passages.map((p) => (
            <FoundPassage key={p.chunk_id} passage={p} />
          ))}
        </ol>
      </div>
    </>
  );
}

/** As many categories are a list to choose from; where there are more, one types a part of the name. */
const mostChosen = 200;

function CategoryField({ category, onChange }: { category: string; onChange: (category: string) => void }) {
  const known = useLabels("categories", "", mostChosen).data;
  const typed = useLabels("categories", useSettled(category.trim()), mostChosen, known?.more === true).data;
  if (!known || known.names.length === 0) return null;
  return (
    <label className="category-field">
      <span>{t.find.category}</span>
      {known.more ? (
        <>
          <input className="field" list="found-categories" placeholder={t.find.anyCategory} value={category} onChange={(e) => onChange(e.target.value)} />
          <datalist id="found-categories">
            {typed?.names.map((c) => (
              <option key={c} value={c} />
            ))}
          </datalist>
        </>
      ) : (
        <select className="field" value={category} onChange={(e) => onChange(e.target.value)}>
          <option value="">{t.find.anyCategory}</option>
          {known.names.map((c) => (
            <option key={c}>{c}</option>
          ))}
        </select>
      )}
    </label>
  );
}

function FoundPassage({ passage: p }: { passage: Passage }) {
  const page = p.quote.page ?? p.pages?.[0];
  const open = () => openSource({ kind: "document", id: p.document.id, page, span: { start: p.quote.start, end: p.quote.end } });
  const where = [t.sources.pages(page ? [page] : []), p.heading?.at(-1)].filter(Boolean).join(" · ");
  const at = p.quote.text ? p.text.indexOf(p.quote.text) : -1;
  return (
    <li className="found-passage">
      <button type="button" className="document-title" onClick={open}>
        {p.document.title || p.document.name}
      </button>
      {where && <span className="faint"> {where}</span>}
      <p className="quote">
        {at < 0 ? (
          p.text
        ) : (
          <>
            {p.text.slice(0, at)}
            <mark>{p.quote.text}</mark>
            {p.text.slice(at + p.quote.text.length)}
          </>
        )}
      </p>
      <dl className="ranks">
        <Rank name={t.panel.lexical} value={t.panel.rank(p.match.lexical_rank, p.match.lexical_score)} />
        <Rank name={t.panel.vector} value={t.panel.rank(p.match.vector_rank, p.match.vector_score)} />
        <Rank name={t.panel.score} value={p.score.toFixed(3)} />
      </dl>
    </li>
  );
}

function Rank({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
