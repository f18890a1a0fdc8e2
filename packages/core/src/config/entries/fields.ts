import * as z from "zod/mini";
import { parseDuration } from "./parse-duration.ts";

// Every error text here continues a sentence that starts with the field's name; see check-shape.ts.

export const Text = z
  .string({ error: missingOr("must be text; put it in quotes if it looks like something else") })
  .check(z.refine((text) => !text.includes("\0"), { error: "must not contain a NUL character" }));

export const NonEmptyText = Text.check(z.refine((text) => text.trim() !== "", { error: "must not be empty" }));

export const TextList = z.array(Text, { error: "must be a list of strings" });

export const NameList = z.array(NonEmptyText, { error: "must be a list of names" });

export const Flag = z.boolean({ error: "must be true or false" });

export function whole(least: number, most?: number): z.ZodMiniNumberFormat {
  const error =
    most === undefined
      ? `must be a whole number of at least ${least}`
      : `must be a whole number from ${least} to ${most}`;
  const atLeast = z.int({ error: missingOr(error) }).check(z.minimum(least, { error }));
  return most === undefined ? atLeast : atLeast.check(z.maximum(most, { error }));
}

export const Share = z
  .number({ error: "must be a number from 0 to 1" })
  .check(
    z.minimum(0, { error: "must be a number from 0 to 1" }),
    z.maximum(1, { error: "must be a number from 0 to 1" }),
  );

export function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  return z.enum(choices, { error: missingOr(`must be one of: ${choices.join(", ")}`) });
}

/** Parses any of the written forms to milliseconds. */
export const Duration = z.pipe(z.unknown(), toMilliseconds());

/** Like Duration, but up to a hundred years, for retention periods, which no timer limits. */
export const Period = z.pipe(z.unknown(), toMilliseconds(36_500 * 24 * 60 * 60 * 1_000));

function toMilliseconds(longest?: number) {
  return z.transform((value, context) => {
    const parsed = parseDuration(value, longest);
    if (parsed.kind === "ok") return parsed.ms;
    context.issues.push({ code: "custom", message: parsed.problem, input: value });
    return z.NEVER;
  });
}

/** How long connecting to a server and listing its tools may take. */
export const ServerTimeout = Duration.check(
  z.refine((ms) => ms >= 1_000 && ms <= 300_000, {
    error: "must be from 1 second to 5 minutes (PT1S to PT5M)",
  }),
);

export const Environment = z.record(z.string().check(z.regex(/^[!-<>-~]+$/)), Text, {
  error: keyOr("is not a valid name of an environment variable", "must be a map of names to strings"),
});

export const HeaderName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Allows what HTTP headers can carry; anything else, above all a line break, would be sent as something different. */
export const HeaderText = Text.check(
  z.refine((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value), {
    error: "must be one line of plain characters: line breaks and special characters cannot be sent in a header",
  }),
);

export const Headers = z.record(z.string().check(z.regex(HeaderName)), HeaderText, {
  error: keyOr("is not a valid header name", "must be a map of header names to strings"),
});

export const Credential = HeaderText.check(z.refine((text) => text.trim() !== "", { error: "must not be empty" }));

export const AuthenticationFields = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.literal("none") }),
    z.strictObject({ type: z.literal("bearer"), token: Credential }),
    z.strictObject({
      type: z.literal("api-key"),
      key: Credential,
      header: z._default(
        z.string({ error: "must be text" }).check(z.regex(HeaderName, { error: "is not a valid header name" })),
        "x-api-key",
      ),
    }),
    z.strictObject({
      type: z.literal("basic"),
      // The colon of a stored secret's reference is not part of the name that is sent.
      username: Text.check(
        z.refine((name) => !name.replace(/\$\{secret:[^}]*\}/g, "").includes(":"), {
          error: "must not contain a colon",
        }),
      ),
      password: Text,
    }),
  ],
  {
    error: (issue) =>
      issue.code === "invalid_union"
        ? "must be one of: none, bearer, api-key, basic"
        : "must be a map with a 'type': none, bearer, api-key or basic",
  },
);

/** The limits of a server's tools that have none of their own. */
export const DefaultToolConfig = z.strictObject(
  { max_instances: z.nullish(whole(1)), timeout: z.nullish(Duration) },
  { error: "must be a map with max_instances and timeout" },
);

export const Rate = z.strictObject(
  { per_minute: whole(1), burst: whole(1) },
  { error: "must be a map with per_minute and burst" },
);

function missingOr(text: string) {
  return (issue: { readonly input?: unknown }) => (issue.input === undefined ? "is missing" : text);
}

function keyOr(keyText: string, text: string) {
  return (issue: { readonly code?: string | undefined }) => (issue.code === "invalid_key" ? keyText : text);
}
