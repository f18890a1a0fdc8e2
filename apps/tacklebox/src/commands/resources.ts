import type { Resource, ResourceTemplate, ServerOffers } from "@tacklebox/core";
import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withStartedEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { ResourcesJson } from "../output/json/offers-json.ts";
import { printJson, printProblems, tableStyle } from "../output/print.ts";
import { formatTable, type TableStyle } from "../output/table.ts";
import { describeUnknownServer } from "../output/unknown-server.ts";

export interface ResourcesOptions extends CommonOptions {
  readonly server: string | undefined;
}

/** Shows what can be read from every server, or from one. */
export function run(context: Context, options: ResourcesOptions): Promise<ExitCode> {
  const { io } = context;
  return withStartedEngine(
    context,
    oneShot(options, options.server),
    async ({ engine, configFile, interrupted, terminated }) => {
      const unknown = await describeUnknownServer(engine, options.server, configFile);
      if (unknown !== undefined) {
        await printProblems(io, [unknown]);
        return EXIT.usage;
      }
      const signal = AbortSignal.any([interrupted, terminated]);
      const offers = await engine.servers.offers(options.server, { signal });
      if (signal.aborted) return EXIT.interrupted;
      await (options.json ? printJson(io, toJson(offers)) : io.stdout.write(formatResources(offers, tableStyle(io))));
      const failures = offers.flatMap(({ failure }) => failure?.message ?? []);
      if (!options.json) await printProblems(io, failures);
      return failures.length === 0 ? EXIT.ok : EXIT.callFailed;
    },
  );
}

function formatResources(offers: readonly ServerOffers[], style: TableStyle): string {
  const rows = offers.flatMap(({ server, resources, templates }) => [
    ...resources.map((resource) => row(server, resource.uri, resource)),
    ...templates.map((template) => row(server, template.uriTemplate, template)),
  ]);
  if (rows.length === 0) return "No server offers resources.\n";
  return formatTable(["SERVER", "URI", "TYPE", "NAME"], rows, style);
}

function row(server: string, uri: string, { mimeType, name }: Resource | ResourceTemplate): string[] {
  return [server, uri, mimeType ?? "", name];
}

function toJson(offers: readonly ServerOffers[]): ResourcesJson {
  return {
    servers: offers.map(({ server, resources, templates, failure }) => ({
      server,
      resources: resources.map((resource) => ({ uri: resource.uri, ...described(resource) })),
      templates: templates.map((template) => ({ uri_template: template.uriTemplate, ...described(template) })),
      ...(failure !== undefined && { error: failure.message }),
    })),
  };
}

function described({ name, description, mimeType }: Resource | ResourceTemplate) {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mime_type: mimeType }),
  };
}
