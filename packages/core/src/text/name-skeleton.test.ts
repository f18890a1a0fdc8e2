import { describe, expect, it } from "vitest";
import { toSkeleton } from "./name-skeleton.ts";

describe("toSkeleton", () => {
  it.each([
    ["send_emаil", "a Cyrillic letter"],
    ["Send_Email", "case"],
    ["ｓｅｎｄ＿ｅｍａｉｌ", "full-width letters"],
    ["send_ema\u{200b}il", "a zero-width space"],
    ["send_email\u{e0041}", "a tag character"],
    ["sénd_email", "an accent"],
    ["ѕеnd_еmаіl", "several alphabets"],
    ["send_emai1", "a digit"],
    ["send_emaiI", "a capital I for a small l"],
  ])("T17 takes %s for send_email (%s)", (name) => {
    expect(toSkeleton(name)).toBe(toSkeleton("send_email"));
  });

  it.each(["send_mail", "send-email", "send_emails", "send.email", "отправить"])("tells %s from send_email", (name) => {
    expect(toSkeleton(name)).not.toBe(toSkeleton("send_email"));
  });
});
