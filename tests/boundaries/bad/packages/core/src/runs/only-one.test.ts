// breaks suspicious/noFocusedTests
import { it } from "vitest";
it.only("is the only one that runs", () => {});
