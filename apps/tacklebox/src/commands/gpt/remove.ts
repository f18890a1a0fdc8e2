import type { CommonOptions, Context } from "../../command-options.ts";
import { withIdleEngine } from "../../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { describeUnknownGpt } from "../../output/json/gpt-json.ts";
import type { GptRemoveJson } from "../../output/json/manage-shapes.ts";
import { printJson, printProblems } from "../../output/print.ts";
import { printableLine } from "../../output/printable.ts";

export interface GptRemoveOptions extends CommonOptions {
  readonly key: string;
}

/** Removes a saved assistant. Refuses to remove one that the config file defines. */
export function run(context: Context, { key, ...common }: GptRemoveOptions): Promise<ExitCode> {
  const { io } = context;
  return withIdleEngine(context, common, async ({ engine }) => {
    const answer = await engine.gpts.remove(key);
    const removed = answer.kind === "ok" && answer.value;
    if (common.json) await printJson(io, { key, removed } satisfies GptRemoveJson);
    if (removed) {
      if (!common.json) await io.stdout.write(`${printableLine(`Removed GPT '${key}'.`)}\n`);
      return EXIT.ok;
    }
    const isOfFile = answer.kind === "failed";
    await printProblems(io, [isOfFile ? `${answer.failure.message}.` : describeUnknownGpt(key)]);
    return isOfFile ? EXIT.couldNotStart : EXIT.usage;
  });
}
