import { expect, it } from "vitest";
import { createRedactor } from "../secrets/redact.ts";
import { parseToolList } from "./parse-tool-list.ts";
import { screenListing } from "./screen-listing.ts";

const SECRET = "canary-0123456789";

/** An entry of a tool list with a member that nests so many levels that the whole has `levels`. */
function entryOf(levels: number, inside: unknown) {
  let deep = inside;
  for (let level = 0; level < levels - 1; level += 1) deep = [deep];
  return { name: "deep", inputSchema: { type: "object" }, extra: deep };
}

it.each([198, 199, 200])("F9 a tool that nests %d levels, as deep as one may, is searched for secrets", (levels) => {
  const redact = createRedactor([SECRET]);
  const listing = parseToolList([entryOf(levels, SECRET)], redact);
  expect(listing.tools).toHaveLength(1);
  const screened = screenListing(listing, redact);
  expect(screened.tools).toEqual([]);
  expect(screened.quarantined).toMatchObject([{ name: "deep" }]);
  const harmless = parseToolList([entryOf(levels, "harmless")], redact);
  expect(screenListing(harmless, redact)).toEqual(harmless);
});

it("F9 texts of the deepest tool are redacted, and its structure stays", () => {
  const redact = createRedactor([SECRET, "object"]);
  const entry = { ...entryOf(200, "harmless"), description: `Knows ${SECRET}` };
  const { tools, quarantined } = screenListing(parseToolList([entry], redact), redact);
  expect(quarantined).toEqual([]);
  expect(tools).toMatchObject([{ description: "Knows [redacted]", inputSchema: { type: "object" } }]);
});
