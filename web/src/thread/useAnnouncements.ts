// Says what happens in a run to those who can't see it: each thing once, and
// nothing of what had happened before the page looked.

import { useEffect, useRef } from "react";
import { currentActivity, type Tools } from "../answer/steps";
import { useTools } from "../api/queries";
import { isDone } from "../api/types";
import { replaceMarkers } from "../run/markers";
import type { RunView } from "../run/view";
import { t } from "../strings";
import { announce } from "../ui/announce";

const longest = 600;

export function useAnnouncements(view: RunView): void {
  const before = useRef(view);
  const tools = useTools();
  useEffect(() => {
    const old = before.current;
    before.current = view;
    if (old !== view) announce(news(old, view, tools));
  }, [view, tools]);
}

function news(old: RunView, now: RunView, tools: Tools): string {
  if (isDone(old.status)) return "";
  if (isDone(now.status)) {
    if (now.error) return t.announce.failed(now.error.message);
    if (now.status === "stopped") return t.announce.stopped;
    const text = replaceMarkers(now, () => "");
    return t.announce.done(now.citations.length, text.length > longest ? `${text.slice(0, longest)}…` : text);
  }
  if (old.text === "" && now.text !== "") return t.announce.writing;
  if (old.found.length === 0 && now.found.length > 0) return t.announce.sources(now.found.length);
  const activity = currentActivity(now, tools);
  return activity !== currentActivity(old, tools) && !now.writing ? activity : "";
}
