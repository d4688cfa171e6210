// In the dark theme the paper of pages is dimmed to a warm grey; whoever wants it
// white says so once.

import { keep, kept } from "../ui/keep";
import { Store } from "../ui/store";

const key = "ibid.paper";

export const paperDimmed = new Store(kept(key) !== "white");

export function togglePaper(): void {
  const dimmed = !paperDimmed.get();
  keep(key, dimmed ? undefined : "white");
  paperDimmed.set(dimmed);
}
