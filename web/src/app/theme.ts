// Light, dark, or as the system says. public/theme.js sets it before the first
// paint; this changes it.

import { keep, kept } from "../ui/keep";
import { useMedia } from "../ui/hooks";
import { Store, useStore } from "../ui/store";

export type Theme = "system" | "light" | "dark";

const key = "ibid.theme";
const stored = typeof localStorage === "undefined" ? undefined : kept(key);

export const theme = new Store<Theme>(stored === "light" || stored === "dark" ? stored : "system");

export function nextTheme(): void {
  const order: Theme[] = ["system", "light", "dark"];
  const to = order[(order.indexOf(theme.get()) + 1) % order.length] ?? "system";
  keep(key, to === "system" ? undefined : to);
  if (to === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = to;
  theme.set(to);
}

export function useDark(): boolean {
  const chosen = useStore(theme);
  const system = useMedia("(prefers-color-scheme: dark)");
  return chosen === "dark" || (chosen === "system" && system);
}
