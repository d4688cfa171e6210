import { useQuery } from "@tanstack/react-query";
import { Code, Database, FileText, Globe, Wrench } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { request } from "../api/client";
import { useFormats } from "../api/queries";
import type { Citation } from "../api/types";
import { formatOf } from "./cards";

const icons: Record<string, typeof FileText> = { web: Globe, html: Globe, htm: Globe, query: Database, csv: Database, xlsx: Database, tool: Wrench, go: Code, py: Code, ts: Code, js: Code };

// Twice as wide as it is shown, for fine screens; in pixels.
const pictureWidth = 160;

/** A small picture of the page that is cited; where there is none, what kind of source it is. It only decorates. */
export function Cover({ citation }: { citation: Citation }) {
  const ref = useRef<HTMLSpanElement>(null);
  const seen = useSeen(ref);
  const format = formatOf(citation);
  const page = citation.pages?.[0];
  const drawn = [...useFormats().values()].some((f) => f.drawn && f.extensions?.includes(`.${format}`));
  const hasPicture = page !== undefined && drawn && !isFile(citation) && citation.document_id !== "";
  // Fetched by script, which can carry a token where an address could not.
  const { data } = useQuery({
    queryKey: ["page", citation.document_id, citation.version, String(page)],
    queryFn: async ({ signal }) => (await request(`/v1/documents/${encodeURIComponent(citation.document_id)}/pages/${page ?? 1}/image?${new URLSearchParams({ version: citation.version, width: String(pictureWidth) })}`, { signal })).blob(),
    enabled: hasPicture && seen,
    staleTime: Infinity,
    retry: false,
  });
  const url = useMemo(() => (data ? URL.createObjectURL(data) : undefined), [data]);
  useEffect(() => () => (url ? URL.revokeObjectURL(url) : undefined), [url]);
  const Icon = icons[format] ?? FileText;
  return (
    <span ref={ref} className="cover" data-format={format} aria-hidden>
      {url ? (
        <img src={url} alt="" />
      ) : (
        <>
          <Icon />
          <span className="cover-format">{format}</span>
        </>
      )}
    </span>
  );
}

function isFile(c: Citation): boolean {
  return c.kind === "file" || c.kind === "attachment";
}

/** Whether an element has been near the window. */
function useSeen(ref: React.RefObject<Element | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const el = ref.current;
    if (!el || seen) return;
    const watch = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && setSeen(true), { rootMargin: "200px" });
    watch.observe(el);
    return () => watch.disconnect();
  }, [ref, seen]);
  return seen;
}
