// A footnote's message, and the way from one of its footnotes to the next.

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { pagesOf } from "../answer/FootnoteMark";
import { getJSON } from "../api/client";
import type { Citation, Message } from "../api/types";
import { openSource, type SourceRef } from "../app/router";
import { useLiveRun } from "../run/live";
import { fromMessage, type RunView } from "../run/view";
import { t } from "../strings";
import { announce } from "../ui/announce";
import { useWindowEvent } from "../ui/hooks";

export type NoteRef = Extract<SourceRef, { kind: "note" | "found" }>;

/** A passage that an answer rests on, and the answer. */
export interface Note {
  citation: Citation;
  view: RunView;
}

/** A footnote of a message, or a passage that was found for it: from the run that is watched in this tab, or asked of the server. */
export function useNote(ref: NoteRef): { note: Note | undefined; missing: boolean } {
  const live = useLiveRun(ref.messageId)?.view;
  const watched = live && pick(ref, live.citations, (live as Partial<Pick<Message, "found">>).found);
  const saved = useQuery({
    queryKey: ["message", ref.messageId],
    queryFn: ({ signal }) => getJSON<Message>(`/v1/messages/${encodeURIComponent(ref.messageId)}`, signal),
    enabled: !watched,
    staleTime: 60_000,
  });
  const message = saved.data;
  const view = useMemo(() => message && fromMessage(message), [message]);
  const known = view && pick(ref, view.citations, message?.found ?? message?.citations);
  const note = useMemo<Note | undefined>(() => {
    if (watched) return { citation: watched, view: live };
    return known && { citation: known, view };
  }, [watched, live, known, view]);
  return { note, missing: saved.isError || (saved.isSuccess && !known) };
}

function pick({ kind, n }: NoteRef, notes: readonly Citation[], found: readonly Citation[] | null | undefined): Citation | undefined {
  return (kind === "note" ? notes.find((c) => c.n === n) : undefined) ?? (found ?? notes).find((c) => c.n === n);
}

/** Where among the footnotes of its answer one is. */
export interface Walk {
  at: number;
  of: number;
  /** Goes so many footnotes on or back, no further than to the last and the first. */
  to: (step: number) => void;
}

/** The way through an answer's footnotes, by arrows and keys; undefined for what is no footnote. */
export function useWalk(ref: NoteRef, note: Note | undefined): Walk | undefined {
  const notes = useMemo(() => (ref.kind === "note" && note ? [...note.view.citations].sort((a, b) => a.n - b.n) : []), [ref.kind, note]);
  const index = notes.findIndex((c) => c.n === ref.n);
  const to = (step: number) => {
    const next = notes[index + step];
    if (index < 0 || !next) return;
    openSource({ kind: "note", messageId: ref.messageId, n: next.n });
    announce(t.panel.noteSaid(next.n, next.title, pagesOf(next)));
  };
  useWindowEvent("keydown", (e) => {
    const step = stepOf(e);
    if (step === 0 || index < 0) return;
    e.preventDefault();
    to(step);
  });
  return index < 0 ? undefined : { at: index + 1, of: notes.length, to };
}

/** 1 for the keys that go on, -1 for those that go back, 0 for all others and wherever something could be typed or chosen. */
function stepOf(e: KeyboardEvent): number {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || e.isComposing) return 0;
  const at = document.activeElement;
  if (at?.closest("input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog]:not(.source-sheet)")) return 0;
  if (document.querySelector("[role=menu], [role=dialog]:not(.source-sheet)")) return 0;
  if (e.key === "j") return 1;
  if (e.key === "k") return -1;
  if (!at?.closest(".source-panel, .source-sheet")) return 0;
  return e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
}
