import type { ResourceContent } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withStartedEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode, exitCodeOfFailure } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { ContentJson, ReadJson } from "../output/json/offers-json.ts";
import { forStream, printJson, printProblems } from "../output/print.ts";
import { describeUnknownServer } from "../output/unknown-server.ts";

export interface ReadOptions extends CommonOptions {
  readonly server: string;
  readonly uri: string;
}

/** Prints one resource: unchanged into a file or pipe, made printable on a terminal. */
export function run(context: Context, options: ReadOptions): Promise<ExitCode> {
  const { io } = context;
  const { server, uri } = options;
  return withStartedEngine(
    context,
    oneShot(options, server),
    async ({ engine, configFile, interrupted, terminated }) => {
      const unknown = await describeUnknownServer(engine, server, configFile);
      if (unknown !== undefined) {
        await printProblems(io, [unknown]);
        return EXIT.usage;
      }
      const signal = AbortSignal.any([interrupted, terminated]);
      const answer = await engine.servers.readResource(server, uri, { signal });
      if (answer.kind === "ok") return show(io, options, answer.value);

      const { code: ending, message } = answer.failure;
      await (options.json
        ? printJson(io, { server, uri, contents: [], ending, error: message } satisfies ReadJson)
        : printProblems(io, [message]));
      return signal.aborted ? EXIT.interrupted : exitCodeOfFailure(answer.failure);
    },
  );
}

async function show(io: Io, options: ReadOptions, contents: readonly ResourceContent[]): Promise<ExitCode> {
  const { server, uri } = options;
  if (options.json) {
    await printJson(io, { server, uri, contents: contents.map(toContentJson) } satisfies ReadJson);
    return EXIT.ok;
  }
  if (io.stdoutIsTerminal && contents.some(({ kind }) => kind === "bytes")) {
    const text = `${uri} is not text. Write it to a file: tacklebox read ${server} '${uri}' > FILE, or use --json`;
    await printProblems(io, [text]);
    return EXIT.usage;
  }
  for (const content of contents) await io.stdout.write(forOutput(content, io.stdoutIsTerminal));
  return EXIT.ok;
}

function forOutput(content: ResourceContent, isTerminal: boolean): string | Uint8Array {
  if (content.kind === "bytes") return Buffer.from(content.base64, "base64");
  return isTerminal ? forStream(content.text, true) : content.text;
}

function toContentJson(content: ResourceContent): ContentJson {
  const { uri, mimeType } = content;
  const place = { uri, ...(mimeType !== undefined && { mime_type: mimeType }) };
  return content.kind === "text" ? { ...place, text: content.text } : { ...place, base64: content.base64 };
}
