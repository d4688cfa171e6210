import { defineConfig } from "vitest/config";

// One browser, one binary at a time: two cores are all a CI machine has.
export default defineConfig({
  test: {
    include: ["e2e/**/*.spec.ts"],
    testTimeout: 90_000,
    hookTimeout: 90_000,
    fileParallelism: false,
  },
});
