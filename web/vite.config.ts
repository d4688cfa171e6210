import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const require = createRequire(import.meta.url);
const pdfjs = path.dirname(require.resolve("pdfjs-dist/package.json"));
const pdfjsVersion = (JSON.parse(readFileSync(path.join(pdfjs, "package.json"), "utf8")) as { version: string }).version;
const pdfjsBase = `assets/pdfjs-${pdfjsVersion}`;

// What pdf.js fetches while it draws: character maps of CJK fonts, stand-ins
// for the fonts a PDF does not bring, and image decoders. They are served by
// us, under a path with the version, because assets/ may be cached for ever.
function pdfjsFiles(): Plugin {
  return {
    name: "pdfjs-files",
    config: () => ({ define: { __PDFJS_BASE__: JSON.stringify(`/${pdfjsBase}/`) } }),
    writeBundle(options) {
      const out = path.join(options.dir ?? "dist", pdfjsBase);
      for (const dir of ["cmaps", "standard_fonts", "wasm", "iccs"]) {
        mkdirSync(path.join(out, dir), { recursive: true });
        cpSync(path.join(pdfjs, dir), path.join(out, dir), { recursive: true });
      }
    },
    configureServer(server) {
      server.middlewares.use(`/${pdfjsBase}`, (req, res, next) => {
        try {
          const name = path.normalize(decodeURIComponent((req.url ?? "").split("?")[0] ?? ""));
          if (name.includes("..")) throw new Error("outside");
          res.end(readFileSync(path.join(pdfjs, name)));
        } catch {
          next();
        }
      });
    },
  };
}

// Empties dist but for the README that lets the Go program compile without it.
function emptyDist(): Plugin {
  return {
    name: "empty-dist",
    apply: "build",
    buildStart() {
      for (const name of readdirSync("dist")) {
        if (name !== "README.md") rmSync(path.join("dist", name), { recursive: true });
      }
    },
  };
}

const backend = process.env["IBID_BACKEND"] ?? "http://127.0.0.1:8787";

export default defineConfig({
  plugins: [react(), pdfjsFiles(), emptyDist()],
  build: {
    emptyOutDir: false,
    assetsInlineLimit: 0, // no data: scripts or fonts; the CSP stays narrow
    chunkSizeWarningLimit: 1200,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/v1": backend, "/healthz": backend, "/readyz": backend } },
});
