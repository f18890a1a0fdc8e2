import { describe, expect, it } from "vitest";
import { describeForeignWriters } from "./who-may-write.ts";

const own = { user: 1000, group: 1000 };
const mine = { mode: 0o100644, uid: 1000, gid: 1000 };

describe("a config file that others may write to", () => {
  it.each([
    ["readable by all", mine],
    ["writable for my own group", { ...mine, mode: 0o100664 }],
    ["of root", { ...mine, uid: 0, gid: 0 }],
  ])("is not one that is %s", (_, stats) => {
    expect(describeForeignWriters("/a.yaml", stats, own)).toBeUndefined();
  });

  it.each([
    ["writable by all", { ...mine, mode: 0o100666 }],
    ["writable for another group", { ...mine, mode: 0o100664, gid: 7 }],
  ])("is one that is %s", (_, stats) => {
    expect(describeForeignWriters("/a b.yaml", stats, own)).toContain("chmod go-w '/a b.yaml'");
  });

  it("is one of another user", () => {
    expect(describeForeignWriters("/a.yaml", { ...mine, uid: 1001 }, own)).toContain("another user (uid 1001)");
  });

  it("cannot be told where there are no user ids", () => {
    expect(describeForeignWriters("/a.yaml", { ...mine, mode: 0o100666 }, undefined)).toBeUndefined();
  });
});
