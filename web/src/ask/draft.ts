// What is being typed, per thread, kept until it is sent.

import { useCallback, useState } from "react";
import { keep, kept, keptJSON } from "../ui/keep";
import type { Mode, Scope, Think } from "../api/types";

function useKept(key: string): [string, (text: string) => void] {
  const [state, setState] = useState({ key, text: kept(key) ?? "" });
  const text = state.key === key ? state.text : (kept(key) ?? "");
  if (state.key !== key) setState({ key, text });
  const change = useCallback(
    (to: string) => {
      keep(key, to);
      setState({ key, text: to });
    },
    [key],
  );
  return [text, change];
}

export function useDraft(threadId: string): [string, (text: string) => void] {
  return useKept(`ibid.draft.${threadId}`);
}

export interface HowToAsk {
  scope: Scope;
  mode: Mode;
  think: Think;
  /** The web is to be searched, whatever the model would choose. */
  web: boolean;
  /** The model that answers; "" is the server's default. */
  model: string;
}

export const plainly: HowToAsk = { scope: {}, mode: "auto", think: "auto", web: false, model: "" };

/** Scope, mode and thinking of a thread's next question. */
export function useHowToAsk(threadId: string): [HowToAsk, (how: HowToAsk) => void] {
  const key = `ibid.how.${threadId}`;
  const [text, setText] = useKept(key);
  const how = text === "" ? plainly : (keptJSON(key, read) ?? plainly);
  return [how, (to) => setText(isPlain(to) ? "" : JSON.stringify(to))];
}

/** Drops what was kept for a thread that is no more. */
export function forget(threadId: string): void {
  keep(`ibid.draft.${threadId}`, undefined);
  keep(`ibid.how.${threadId}`, undefined);
}

export function keepHow(threadId: string, how: HowToAsk): void {
  keep(`ibid.how.${threadId}`, isPlain(how) ? undefined : JSON.stringify(how));
}

export function isWhole(scope: Scope): boolean {
  const { documents = [], tags = [], metadata = {} } = scope;
  return !scope.category && !scope.folder && documents.length + tags.length + Object.keys(metadata).length === 0;
}

function isPlain(how: HowToAsk): boolean {
  return isWhole(how.scope) && how.mode === "auto" && how.think === "auto" && !how.web && how.model === "";
}

function read(value: unknown): HowToAsk | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return { ...plainly, ...(value as Partial<HowToAsk>) };
}
