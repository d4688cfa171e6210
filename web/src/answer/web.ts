// Addresses of web pages come from models and from the pages themselves: only
// what is plainly http is ever a link.

export interface WebAddress {
  href: string;
  host: string;
}

export function webAddress(url: string): WebAddress | undefined {
  try {
    const u = new URL(url);
    if ((u.protocol !== "https:" && u.protocol !== "http:") || u.username !== "" || u.password !== "") return undefined;
    return { href: u.href, host: u.host };
  } catch {
    return undefined;
  }
}
