// A thread's messages form a tree: an edited question is a sibling of the one
// it replaces. The page shows the path from the first message to the head.

import type { Message } from "../api/types";

export interface Turn {
  message: Message;
  /** Ids of the messages that share the parent and role, oldest first, this one among them. */
  siblings: string[];
}

export function branchOf(messages: readonly Message[], headId: string): Turn[] {
  const byId = new Map(messages.map((m) => [m.id, m]));
  const families = groupBy(messages, family);
  const path: Turn[] = [];
  const seen = new Set<string>();
  let at = byId.get(headId) ?? newest(messages);
  while (at && !seen.has(at.id)) {
    seen.add(at.id);
    path.push({ message: at, siblings: (families.get(family(at)) ?? []).map((m) => m.id) });
    at = at.parent_id ? byId.get(at.parent_id) : undefined;
  }
  return path.reverse();
}

/** What siblings have in common. */
function family(m: Message): string {
  return `${m.role} ${m.parent_id ?? ""}`;
}

/** The newest message below id: what to select to show the branch that id is on. */
export function leafBelow(messages: readonly Message[], id: string): string {
  const children = groupBy(messages, (m) => m.parent_id ?? "");
  let leaf = id;
  const seen = new Set<string>([id]);
  for (;;) {
    const next = newest(children.get(leaf) ?? []);
    if (!next || seen.has(next.id)) return leaf;
    seen.add(next.id);
    leaf = next.id;
  }
}

function newest(messages: readonly Message[]): Message | undefined {
  return messages.reduce<Message | undefined>((best, m) => (!best || Date.parse(m.created_at) >= Date.parse(best.created_at) ? m : best), undefined);
}

function groupBy(messages: readonly Message[], key: (m: Message) => string): Map<string, Message[]> {
  const groups = new Map<string, Message[]>();
  for (const m of messages) {
    const list = groups.get(key(m));
    if (list) list.push(m);
    else groups.set(key(m), [m]);
  }
  return groups;
}
