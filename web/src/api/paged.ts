// Lists that the server gives page by page, as this page holds them: the rows
// from the beginning to where one has scrolled. The newest rows come first.

/** One page as the server answers it. */
export interface Page<T> {
  items: readonly T[];
  /** The cursor of the page behind this one; absent at the end of the list. */
  next?: string;
}

/** A row of a list. Far from what is in sight only its place is kept, and item is absent. */
export interface Row<T> {
  id: string;
  /** What the list is sorted by, newest first: a time in milliseconds. */
  at: number;
  item?: T;
}

export interface Rows<T> {
  rows: readonly Row<T>[];
  /** The cursor of what follows the last row; absent where the list is here to its end. */
  next?: string;
}

/** How the items of a list are told apart and sorted. */
export interface Order<T> {
  id: (item: T) => string;
  at: (item: T) => number;
}

function rowsOf<T>(items: readonly T[], order: Order<T>): Row<T>[] {
  return items.map((item) => ({ id: order.id(item), at: order.at(item), item }));
}

/** Puts the page that was asked for with cursor behind the list. A list that has changed its end meanwhile stays as it is. */
export function append<T>(list: Rows<T>, cursor: string, page: Page<T>, order: Order<T>): Rows<T> {
  if (list.next !== cursor) return list;
  const known = new Set(list.rows.map((r) => r.id));
  return { rows: [...list.rows, ...rowsOf(page.items, order).filter((r) => !known.has(r.id))], next: page.next };
}

/**
 * Takes in the list's first page, asked for anew. What stood behind it stays
 * loaded, unless so much is new that there may be a gap between the two.
 */
export function refresh<T>(list: Rows<T> | undefined, page: Page<T>, order: Order<T>): Rows<T> {
  const rows = rowsOf(page.items, order);
  const last = rows.at(-1);
  if (!list || !last || page.next === undefined) return { rows, next: page.next };
  const fresh = new Set(rows.map((r) => r.id));
  const behind = list.rows.filter((r) => !fresh.has(r.id) && r.at <= last.at);
  if (behind.length === 0 || !list.rows.some((r) => fresh.has(r.id))) return { rows, next: page.next };
  return { rows: [...rows, ...behind], next: list.next };
}

/**
 * Takes in what became of single items: by id, the item as it is now, or
 * undefined for one that is not in this list (any more). A new one goes where it
 * belongs; if that is behind the last row, it comes when one scrolls there.
 */
export function change<T>(list: Rows<T>, changes: ReadonlyMap<string, T | undefined>, order: Order<T>): Rows<T> {
  const left = new Map(changes);
  let touched = false;
  const rows: Row<T>[] = [];
  for (const row of list.rows) {
    if (!left.has(row.id)) {
      rows.push(row);
      continue;
    }
    touched = true;
    const item = left.get(row.id);
    left.delete(row.id);
    if (item !== undefined) rows.push({ ...row, item });
  }
  for (const item of left.values()) {
    if (item === undefined) continue;
    const at = order.at(item);
    const place = firstNotAfter(rows, at);
    if (place === rows.length && list.next !== undefined) continue;
    rows.splice(place, 0, { id: order.id(item), at, item });
    touched = true;
  }
  return touched ? { ...list, rows } : list;
}

/** The first row that is not newer than a time: where a row of that time is put. */
function firstNotAfter<T>(rows: readonly Row<T>[], at: number): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((rows[middle]?.at ?? 0) > at) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Lets go of the items of all rows but those to keep. */
export function letGo<T>(list: Rows<T>, keep: (place: number) => boolean): Rows<T> {
  return { ...list, rows: list.rows.map((row, i) => (row.item === undefined || keep(i) ? row : { id: row.id, at: row.at })) };
}

/** Puts items that were asked for by their ids into their rows. An item that was not found is gone, and its row with it. */
export function fill<T>(list: Rows<T>, ids: readonly string[], items: readonly T[], order: Order<T>): Rows<T> {
  const found = new Map(items.map((item) => [order.id(item), item]));
  const asked = new Map(ids.map((id) => [id, found.get(id)]));
  const rows = list.rows.flatMap((row) => {
    if (!asked.has(row.id)) return [row];
    const item = asked.get(row.id);
    return item === undefined ? [] : [{ ...row, item }];
  });
  return { ...list, rows };
}

/** How many rows have their item here. */
export function held<T>(list: Rows<T>): number {
  return list.rows.reduce((sum, row) => sum + (row.item === undefined ? 0 : 1), 0);
}
