// What the browser keeps for us. Storage may be off, full or cleared at any
// time: then we do without.

export function kept(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(key: string, value: string | undefined, where: "device" | "tab" = "device"): void {
  try {
    localStorage.removeItem(key);
    sessionStorage.removeItem(key);
    if (value !== undefined && value !== "") (where === "device" ? localStorage : sessionStorage).setItem(key, value);
  } catch {
    // Nothing is lost but a convenience.
  }
}

export function keptJSON<T>(key: string, read: (value: unknown) => T | undefined): T | undefined {
  const text = kept(key);
  if (text === undefined) return undefined;
  try {
    return read(JSON.parse(text));
  } catch {
    return undefined;
  }
}
