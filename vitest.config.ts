import { defineConfig } from "vitest/config";

/** Only tests that have failed anyway run into these, even on a machine that is busy with other work. */
const TIMEOUTS = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000, interval: 10 } },
};

export default defineConfig({
  test: {
    watch: false,
    // Journeys mostly wait for other programs, so more of them than cores run well side by side.
    maxWorkers: 3,
    // The rows of a fault file share one program and mostly wait.
    maxConcurrency: 20,
    coverage: {
      provider: "v8",
      reporter: ["json-summary", "text-summary"],
      exclude: ["**/*.test.ts", "**/testing/**"],
    },
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/core/src/**/*.test.ts"],
          pool: "forks",
          ...TIMEOUTS,
        },
      },
      {
        test: {
          name: "integration",
          include: ["packages/{mcp,models,storage}/src/**/*.test.ts", "apps/*/src/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**", "tests/boundaries/bad/**"],
          globalSetup: ["tests/support/build-fixtures.ts"],
          pool: "forks",
          ...TIMEOUTS,
        },
      },
    ],
  },
});
