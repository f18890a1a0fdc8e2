import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    watch: false,
    include: ["tests/**/*.slow.ts"],
    globalSetup: ["tests/support/build-fixtures.ts"],
    pool: "forks",
    testTimeout: 600_000,
  },
});
