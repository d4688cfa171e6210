// Files from a picker or a drop, folders with all that is in them.

export interface Picked {
  file: File;
  /** "reports/2024", "" at the top. */
  folder: string;
}

export function pickFiles(what: "files" | "folder"): Promise<Picked[]> {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.webkitdirectory = what === "folder";
    input.hidden = true;
    input.dataset["picker"] = what;
    const done = (files: File[]) => {
      input.remove();
      resolve(files.map((file) => ({ file, folder: folderOf(file.webkitRelativePath) })).filter(isWanted));
    };
    input.addEventListener("change", () => done([...(input.files ?? [])]));
    input.addEventListener("cancel", () => done([]));
    document.body.append(input);
    input.click();
  });
}

function folderOf(path: string): string {
  return path.split("/").slice(0, -1).join("/");
}

/** What no one means to add: a system's own litter, and the insides of repositories. */
function isWanted({ file, folder }: Picked): boolean {
  return !file.name.startsWith(".") && file.name !== "Thumbs.db" && !`/${folder}/`.includes("/.");
}

/** Takes the entries at once: they are gone when the event handler returns. */
export async function droppedFiles(data: DataTransfer): Promise<Picked[]> {
  const entries = [...data.items].filter((i) => i.kind === "file").map((i) => ({ entry: i.webkitGetAsEntry(), file: i.getAsFile() }));
  const lists = await Promise.all(
    entries.map(({ entry, file }) => (entry ? walk(entry, "") : Promise.resolve(file ? [{ file, folder: "" }] : []))),
  );
  return lists.flat().filter(isWanted);
}

async function walk(entry: FileSystemEntry, folder: string): Promise<Picked[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, folder }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const inside = folder === "" ? entry.name : `${folder}/${entry.name}`;
  const found: Picked[] = [];
  for (;;) {
    // A directory is read in batches until an empty one.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return found;
    for (const e of batch) found.push(...(await walk(e, inside)));
  }
}
