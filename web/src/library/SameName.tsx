import { Dialog } from "radix-ui";
import { useEffect, useId, useRef, useState } from "react";
import { t } from "../strings";
import { announce } from "../ui/announce";
import { useStore } from "../ui/store";
import { answerSameName, sameNames, uploads, type SameName as Asked, type SameNameAnswer } from "./uploads";

// Of a small drop all is known in a moment, and asked at once; of a large one the first is asked while the others go on.
const small = 20;

/** Asks what to do with files whose names are there already, with other content: one dialog for all of a drop. */
export function SameName() {
  const list = useStore(sameNames);
  const { left, files } = useStore(uploads);
  const [shown, setShown] = useState<number>();
  if (list.length === 0 || (left > 0 && files <= small)) return null;
  // In the order of the files, but nothing that comes in later takes the place of what is being read.
  const asked = list.find((one) => one.id === shown) ?? list.reduce((first, one) => (one.id < first.id ? one : first));
  if (asked.id !== shown) setShown(asked.id);
  return <Ask asked={asked} others={list.filter((one) => one.drop === asked.drop).length - 1} />;
}

function Ask({ asked, others }: { asked: Asked; others: number }) {
  const [forAll, setForAll] = useState(false);
  const about = useId();
  const keepBoth = useRef<HTMLButtonElement>(null);
  const title = t.sameName.title(asked.name, asked.folder);
  const said = useRef(title);
  useEffect(() => {
    if (said.current !== title) announce(title); // the dialog itself says only the first
    said.current = title;
  }, [title]);
  const answer = (choice: SameNameAnswer) => answerSameName(asked.id, choice, forAll);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && answer("skip")}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className="dialog same-name"
          aria-describedby={about}
          onPointerDownOutside={(e) => e.preventDefault()} // it is answered, not dismissed by a slip
          onOpenAutoFocus={(e) => {
            e.preventDefault();
            keepBoth.current?.focus();
          }}
        >
          <Dialog.Title>{title}</Dialog.Title>
          <p id={about} className="faint">
            {t.sameName.about}
          </p>
          <div className="same-name-choices">
            {(["keep_both", "new_version", "skip"] as const).map((choice) => (
              <button key={choice} type="button" className="choice-button" ref={choice === "keep_both" ? keepBoth : undefined} onClick={() => answer(choice)}>
                <strong>{t.sameName.choices[choice][0]}</strong>
                <span className="faint">{t.sameName.choices[choice][1]}</span>
              </button>
            ))}
          </div>
          {others > 0 && (
            <label className="choice">
              <input type="checkbox" checked={forAll} onChange={(e) => setForAll(e.target.checked)} />
              <span>{t.sameName.forAll(others)}</span>
            </label>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
