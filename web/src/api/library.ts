// What the server says of the library as a whole.

/** How far the server is with all documents that are being taken in. */
export interface Queue {
  waiting: number;
  processing: number;
  /** Documents since there was nothing to do last. */
  done: number;
  pages?: number;
  pages_done?: number;
  /** Until there is nothing to do; 0 or absent where that is not known. */
  eta_seconds?: number;
}

/** A node of the library's tree. */
export interface FolderNode {
  name: string;
  path: string;
  /** Directly in it. */
  documents: number;
  /** In it and in all folders below it. */
  total: number;
  folders: FolderNode[] | null;
}

export interface LabelCount {
  name: string;
  documents: number;
}

/** The library by its folders, categories and tags. */
export interface Folders {
  folder: FolderNode;
  categories: LabelCount[] | null;
  tags: LabelCount[] | null;
  documents: number;
  chunks: number;
}

/** Something that was removed and can be taken back until a time. */
export interface Removed {
  kind: "document" | "thread" | "database";
  id: string;
  name: string;
  removed_at: string;
  until: string;
}
