import { FileText, MessageSquareText, Search, SquareArrowRight } from "lucide-react";
import { Dialog } from "radix-ui";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useDocumentsNamed } from "../api/documents";
import { useThreadsNamed } from "../api/threads";
import { t } from "../strings";
import { useSettled } from "../ui/hooks";
import { Store, useStore } from "../ui/store";
import { askedFor, documentsFound, findIn, threadsFound, type Found } from "./found";
import { go, openSource, type View } from "./router";

export const finderOpen = new Store(false);

const icons = { threads: MessageSquareText, documents: FileText, places: SquareArrowRight };

const places: [name: string, view: View][] = [
  [t.threads.fresh, { name: "new" }],
  [t.library.title, { name: "library" }],
  [t.library.looks.passages, { name: "passages" }],
  [t.library.looks.databases, { name: "databases" }],
  [t.watched.title, { name: "watched" }],
  [t.settings.title, { name: "settings" }],
];

/** The server is asked for so many of a kind; what fits best of them is shown. */
const mostAsked = 50;

/** Finds a thread, a document or a place of the page by its name, from anywhere. */
export function Finder() {
  const open = useStore(finderOpen);
  const acted = useRef(false);
  return (
    <Dialog.Root open={open} onOpenChange={finderOpen.set}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className="dialog finder"
          aria-describedby={undefined}
          onOpenAutoFocus={() => (acted.current = false)}
          onCloseAutoFocus={(e) => {
            if (acted.current) e.preventDefault(); // what was opened has the focus, not what had it before
          }}
        >
          <Dialog.Title className="visually-hidden">{t.finder.title}</Dialog.Title>
          <Choices onAct={() => (acted.current = true)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Choices({ onAct }: { onAct: () => void }) {
  const [words, setWords] = useState("");
  const asked = askedFor(useSettled(words));
  const askedThreads = useThreadsNamed(asked, mostAsked);
  const askedDocs = useDocumentsNamed(asked, mostAsked);
  const [threads, docs] = [askedThreads.data, askedDocs.data];
  // What is shown is what was typed, and not an answer to the words before.
  const settled = asked === askedFor(words) && [askedThreads, askedDocs].every((x) => !x.isPending && !x.isPlaceholderData);
  const [entered, setEntered] = useState(false);
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const all = useMemo<Found[]>(
    () => [
      ...threadsFound(threads ?? [], t.threads.untitled, (id) => go({ view: { name: "thread", id } })),
      ...documentsFound(docs ?? [], (id) => openSource({ kind: "document", id })),
      ...places.map(([name, view]): Found => ({ key: `place ${name}`, group: "places", name, about: "", act: () => go({ view }) })),
    ],
    [threads, docs],
  );
  const found = useMemo(() => findIn(all, words), [all, words]);
  const chosen = Math.min(at, found.length - 1);

  const choose = (f: Found | undefined) => {
    if (!f) return;
    onAct();
    finderOpen.set(false);
    f.act();
  };
  const enter = () => (settled ? choose(found[chosen]) : setEntered(true));
  const chooseNow = useRef(choose);
  useEffect(() => {
    chooseNow.current = choose;
  });
  useEffect(() => {
    if (entered && settled) chooseNow.current(found[0]);
  }, [entered, settled, found]);
  const move = (to: number) => {
    const next = (to + found.length) % Math.max(1, found.length);
    setAt(next);
    list.current?.querySelector(`#found-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.nativeEvent.isComposing) return;
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(chosen + 1),
      ArrowUp: () => move(chosen - 1),
      Enter: enter,
    };
    const act = keys[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  };
  return (
    <>
      <label className="search-field">
        <Search aria-hidden />
        <input
          className="field"
          role="combobox"
          aria-expanded
          aria-controls="found-list"
          aria-activedescendant={found.length > 0 ? `found-${chosen}` : undefined}
          aria-autocomplete="list"
          aria-label={t.finder.placeholder}
          placeholder={t.finder.placeholder}
          autoComplete="off"
          spellCheck={false}
          value={words}
          onChange={(e) => {
            setWords(e.target.value);
            setAt(0);
            setEntered(false);
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div className="found-list" id="found-list" role="listbox" aria-label={t.finder.title} ref={list}>
        {(["threads", "documents", "places"] as const).map((group) => {
          const members = found.filter((f) => f.group === group);
          return members.length === 0 ? null : (
            <div key={group} role="group" aria-label={t.finder.groups[group]}>
              <div className="list-label" aria-hidden>
                {t.finder.groups[group]}
              </div>
              {members.map((f) => (
                <Option key={f.key} found={f} n={found.indexOf(f)} on={found.indexOf(f) === chosen} onMove={setAt} onChoose={choose} />
              ))}
            </div>
          );
        })}
      </div>
      {found.length === 0 && settled && <p className="faint list-note">{t.finder.none}</p>}
    </>
  );
}

function Option({ found, n, on, onMove, onChoose }: { found: Found; n: number; on: boolean; onMove: (n: number) => void; onChoose: (f: Found) => void }) {
  const Icon = icons[found.group];
  return (
    <div id={`found-${n}`} role="option" aria-selected={on} className="found-option" onPointerMove={() => onMove(n)} onClick={() => onChoose(found)}>
      <Icon aria-hidden />
      <span className="found-name" title={found.name}>
        {found.name}
      </span>
      {found.about && <span className="faint found-about">{found.about}</span>}
    </div>
  );
}
