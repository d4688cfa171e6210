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

/** A part of the library's folders. */
export interface Folders {
  /** The folder that was asked for, with folders in it. */
  folder: FolderNode;
  /** The cursor of the folders behind these; absent at the end. */
  next?: string;
  /** Of the whole library. */
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
