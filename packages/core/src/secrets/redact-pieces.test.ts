import { describe, expect, it } from "vitest";
import type { Redactor } from "../ports/known-secrets.ts";
import { between, createRandom, type Random } from "../testing/seeded-random.ts";
import { createKnownSecrets } from "./known-secrets.ts";
import { createRedactor } from "./redact.ts";
import { createPieceRedactor } from "./redact-pieces.ts";

const TEXTS_PER_SET = 2_000;

function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[between(random, 0, items.length - 1)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

/** Whole secrets, their other forms, their beginnings and ends, and the letters they consist of. */
function textWith(secrets: readonly string[], random: Random): string {
  const parts = Array.from({ length: between(random, 0, 12) }, () => {
    const secret = pick(secrets, random);
    const cut = between(random, 0, secret.length);
    return pick(
      [
        secret,
        secret,
        secret.slice(0, cut),
        secret.slice(cut),
        btoa(secret).replace(/=+$/, ""),
        encodeURIComponent(secret),
        secret.charAt(cut),
        " and then ",
      ],
      random,
    );
  });
  return parts.join("");
}

/** Cuts a text into pieces: some empty, some a single character, some the whole rest. */
function cutUp(text: string, random: Random): string[] {
  const longest = pick([1, 3, 8, 40], random);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + between(random, 0, longest);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

function redactInPieces(redact: Redactor, pieces: readonly string[]): string[] {
  const redactor = createPieceRedactor(redact);
  return [...pieces.map((piece) => redactor.push(piece)), redactor.end()];
}

describe("a text that arrives in pieces, wherever it is cut", () => {
  it.each([
    ["that have nothing in common", ["alpha-token-1", "bravo/key+22=", "tök_3f9c21"]],
    ["that begin and end with each other", ["secret", "secretkey", "retina"]],
    ["that are parts of each other", ["password", "my-password-1", "word-1", "sword-"]],
    ["that repeat themselves", ["aaaaaa", "aaaaaaaaa", "ababab", "bababa"]],
    ["that go over into each other", ["abcdef", "defghi", "ghiabc", "fghi-abcd"]],
  ])("is redacted as if it were whole: %s", (_what, secrets) => {
    const random = createRandom(secrets.join("").length);
    const redact = createRedactor(secrets);
    for (let count = 0; count < TEXTS_PER_SET; count += 1) {
      const text = textWith(secrets, random);
      const pieces = cutUp(text, random);
      const redacted = redactInPieces(redact, pieces).join("");
      expect({ pieces, redacted }).toEqual({ pieces, redacted: redact(text) });
      expect(secrets.filter((secret) => redacted.includes(secret))).toEqual([]);
    }
  });

  it("is held back only as long as it may be the beginning of a secret", () => {
    const redact = createRedactor(["secret", "secretkey"]);
    expect(redactInPieces(redact, ["hello ", "se", "e you, s", "ecret", "ke", "pt", " key secre"])).toEqual([
      "hello ",
      "",
      "see you, ",
      "",
      "",
      "[redacted]kept",
      " key ",
      "secre",
    ]);
  });

  it("passes through at once if there is nothing to redact, and is redacted once a secret becomes known", () => {
    const known = createKnownSecrets();
    const redactor = createPieceRedactor(known.redact);
    expect(redactor.push("a sec")).toBe("a sec");
    known.add(["secret", "api-key-1"]);
    expect([redactor.push("ret api-"), redactor.push("key"), redactor.push("-1."), redactor.end()]).toEqual([
      "ret ",
      "",
      "[redacted].",
      "",
    ]);
  });
});
