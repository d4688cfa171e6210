import { Paperclip } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { pickFiles } from "../library/files";
import { addFiles } from "../library/uploads";
import { t } from "../strings";

/** Files for this question, or for the library. */
export function AttachMenu({ onAttach }: { onAttach: (files: File[]) => void }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <button type="button" className="icon-button" aria-label={t.ask.add} title={t.ask.add}>
          <Paperclip aria-hidden />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" side="top" align="start" sideOffset={8} collisionPadding={12}>
          <DropdownMenu.Item className="menu-item" onSelect={async () => onAttach((await pickFiles("files")).map((p) => p.file))}>
            {t.ask.attach}
          </DropdownMenu.Item>
          <DropdownMenu.Item className="menu-item" onSelect={async () => addFiles(await pickFiles("files"))}>
            {t.ask.addToLibrary}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
