import { expect, it } from "vitest";
import { formatTokens } from "./token-figures.ts";

it.each([
  [{ input: 1204, output: 85 }, "1,204 tokens in, 85 out"],
  [{ input: 1, output: 1 }, "1 token in, 1 out"],
  [{ input: 0, output: 1_234_567 }, "0 tokens in, 1,234,567 out"],
])("%j reads as %s", (count, text) => expect(formatTokens(count)).toBe(text));
