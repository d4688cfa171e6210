import { defineConfig } from "vitest/config";

// One browser, one binary at a time: two cores are all a CI machine has. The
// times end what hangs; nothing that works comes near them on a machine that is
// many times slower.
export default defineConfig({
  test: {
    include: ["e2e/**/*.spec.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 50 } },
    fileParallelism: false,
  },
});
