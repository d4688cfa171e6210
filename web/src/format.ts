// Numbers, sizes and times as people read them. A number and its unit stay on
// one line.

/** The language that strings.ts is written in; a translation changes both. */
export const language = "en";

const number = new Intl.NumberFormat(language);
const plural = new Intl.PluralRules(language);
const ordinal = new Intl.PluralRules(language, { type: "ordinal" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

export const n = (value: number): string => number.format(value);

export function count(value: number, one: string, other: string): string {
  return `${n(value)} ${plural.select(value) === "one" ? one : other}`;
}

export function nth(value: number): string {
  const ends: Record<string, string> = { one: "st", two: "nd", few: "rd" };
  return `${n(value)}${ends[ordinal.select(value)] ?? "th"}`;
}

export function duration(ms: number): string {
  if (ms < 1) return "<\u00a01\u00a0ms";
  if (ms < 1000) return `${Math.round(ms)}\u00a0ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)}\u00a0s`;
  return `${Math.floor(ms / 60_000)}\u00a0min ${Math.round((ms % 60_000) / 1000)}\u00a0s`;
}

/** Minutes or hours, for what nobody knows to the second. */
export function roughly(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${Math.max(1, minutes)}\u00a0min` : `${Math.round(minutes / 60)}\u00a0h`;
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes}\u00a0B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let i = 0;
  while (value >= 1000 && i < units.length - 1) {
    value /= 1000;
    i++;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)}\u00a0${units[i] ?? ""}`;
}

export function ago(iso: string, now = Date.now()): string {
  const minutes = Math.round((Date.parse(iso) - now) / 60_000);
  if (Number.isNaN(minutes)) return "";
  if (minutes > -60) return relative.format(Math.min(minutes, 0), "minute");
  if (minutes > -60 * 24) return relative.format(Math.round(minutes / 60), "hour");
  return relative.format(Math.round(minutes / 60 / 24), "day");
}

const dayAndTime = new Intl.DateTimeFormat(language, { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });

/** A day and a time of it, as on a note. */
export function day(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? "" : dayAndTime.format(at);
}
