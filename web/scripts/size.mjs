// How much script a visitor loads before opening a PDF: what index.html names,
// and what that imports. The limit is a promise (docs), so it is checked.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const limit = 250 * 1000;
const html = readFileSync("dist/index.html", "utf8");
const seen = new Set();
const queue = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((m) => m[1]);
while (queue.length > 0) {
  const file = queue.pop();
  if (seen.has(file)) continue;
  seen.add(file);
  const source = readFileSync(`dist/${file}`, "utf8");
  for (const m of source.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) queue.push(`assets/${m[1]}`);
}
const zipped = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
const script = [...seen].reduce((sum, f) => sum + zipped(`dist/${f}`), 0);
const css = readdirSync("dist/assets").filter((f) => f.endsWith(".css")).reduce((sum, f) => sum + zipped(`dist/assets/${f}`), 0);
const kb = (n) => `${(n / 1000).toFixed(1)} kB`;
console.log(`script before a PDF is opened: ${kb(script)} gzipped (limit ${kb(limit)}), styles ${kb(css)}`);
if (script === 0 || script > limit) {
  console.error("that is over the limit");
  process.exit(1);
}
