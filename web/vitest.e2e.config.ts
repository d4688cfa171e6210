import { defineConfig } from "vitest/config";

// One binary at a time, and one browser for all files, which therefore run in one
// process: two cores are all a CI machine has, and a browser that starts keeps them
// busy for as long as many a test does. The times end what hangs; nothing that
// works comes near them on a machine that is many times slower.
export default defineConfig({
  test: {
    include: ["e2e/**/*.spec.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    fileParallelism: false,
    isolate: false,
  },
});
