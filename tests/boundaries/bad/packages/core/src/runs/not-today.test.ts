// breaks suspicious/noSkippedTests
import { it } from "vitest";
it.skip("never runs", () => {});
