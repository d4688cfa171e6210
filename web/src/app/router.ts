// The page's addresses:
//
//	/                    a new thread
//	/t/{thread}          a thread
//	/library/{folder…}   the documents, in a folder
//	/search/{folder…}    a search in what the documents of a folder say
//	/databases           the databases
//	/watched             the folders that are followed
//	/removed             what was removed and can be taken back
//	/settings            what is set
//	/d/{document}        the documents, with one open
//	?note={message}.{n}  with the source of a footnote open beside it
//	?found={message}.{n}  with a passage that an answer found, and did not cite, open beside it
//	?doc={document}&page={page}&at={start}-{end}  with a document open beside it, at these bytes of its text

import { Store, usePart, useStore } from "../ui/store";

export type View = { name: "new" } | { name: "thread"; id: string } | { name: "library" | "passages"; folder?: string } | { name: "databases" } | { name: "watched" } | { name: "removed" } | { name: "settings" } | { name: "unknown" };

export interface Span {
  start: number;
  end: number;
}

export type SourceRef = { kind: "note" | "found"; messageId: string; n: number } | { kind: "document"; id: string; page?: number; span?: Span };

export interface Place {
  view: View;
  source?: SourceRef;
}

export function parse(path: string, search: string): Place {
  const query = new URLSearchParams(search);
  const page = Number(query.get("page")) || undefined;
  const [, first = "", second = "", ...rest] = path.split("/");
  const id = decode(second);
  const deep = rest.length > 0 && rest.join("") !== "";
  if (first === "d" && id && !deep) return { view: { name: "library" }, source: { kind: "document", id, page } };
  const source = parseSource(query, page);
  if (first === "" && !second) return { view: { name: "new" }, source };
  if (first === "t" && id && !deep) return { view: { name: "thread", id }, source };
  if (first === "library" || first === "search") {
    const folder = [second, ...rest].map(decode).filter(Boolean).join("/") || undefined;
    return { view: { name: first === "library" ? "library" : "passages", folder }, source };
  }
  if (first === "databases" && !second) return { view: { name: "databases" }, source };
  if (first === "watched" && !second) return { view: { name: "watched" }, source };
  if (first === "removed" && !second) return { view: { name: "removed" }, source };
  if (first === "settings" && !second) return { view: { name: "settings" }, source };
  return { view: { name: "unknown" } };
}

function parseSource(query: URLSearchParams, page: number | undefined): SourceRef | undefined {
  for (const kind of ["note", "found"] as const) {
    const named = /^(.+)\.(\d+)$/.exec(query.get(kind) ?? "");
    if (named?.[1]) return { kind, messageId: named[1], n: Number(named[2]) };
  }
  const doc = query.get("doc");
  const at = /^(\d+)-(\d+)$/.exec(query.get("at") ?? "");
  const span = at ? { start: Number(at[1]), end: Number(at[2]) } : undefined;
  return doc ? { kind: "document", id: doc, page, span } : undefined;
}

export function href({ view, source }: Place): string {
  const query = new URLSearchParams();
  if (source && source.kind !== "document") query.set(source.kind, `${source.messageId}.${source.n}`);
  if (source?.kind === "document") {
    query.set("doc", source.id);
    if (source.page) query.set("page", String(source.page));
    if (source.span) query.set("at", `${source.span.start}-${source.span.end}`);
  }
  const text = query.toString();
  return pathOf(view) + (text ? `?${text}` : "");
}

function pathOf(view: View): string {
  switch (view.name) {
    case "thread":
      return `/t/${encodeURIComponent(view.id)}`;
    case "library":
    case "passages":
      return [view.name === "library" ? "/library" : "/search", ...(view.folder ?? "").split("/").filter(Boolean).map(encodeURIComponent)].join("/");
    case "databases":
      return "/databases";
    case "watched":
      return "/watched";
    case "removed":
      return "/removed";
    case "settings":
      return "/settings";
    default:
      return "/";
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

const place = new Store<Place>(typeof location === "undefined" ? { view: { name: "new" } } : parse(location.pathname, location.search));

export function usePlace(): Place {
  return useStore(place);
}

/** A part of the place; see usePart. */
export function usePlacePart<P>(part: (place: Place) => P): P {
  return usePart(place, part);
}

/** What is shown, whatever source is open beside it. */
export function useView(): View {
  return usePlacePart((p) => p.view);
}

export function here(): Place {
  return place.get();
}

/** Goes to a place; the source beside it closes unless it is named. */
export function go(to: Place, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState({}, "", href(to));
  else history.replaceState(history.state, "", href(to));
  place.set(to);
}

interface Entry {
  openedSource?: boolean;
}

/** Opens a source beside what is shown. The browser's Back closes it. */
export function openSource(source: SourceRef): void {
  const to = { ...place.get(), source };
  const already = place.get().source !== undefined;
  const state: Entry = { openedSource: already ? (history.state as Entry | null)?.openedSource : true };
  if (already) history.replaceState(state, "", href(to));
  else history.pushState(state, "", href(to));
  place.set(to);
}

export function closeSource(): void {
  if (!place.get().source) return;
  if ((history.state as Entry | null)?.openedSource) {
    history.back(); // popstate does the rest
    return;
  }
  go({ view: place.get().view }, "replace");
}

if (typeof window !== "undefined") {
  window.addEventListener("popstate", () => place.set(parse(location.pathname, location.search)));
}
