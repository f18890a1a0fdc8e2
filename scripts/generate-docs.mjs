// @ts-check
// node scripts/generate-docs.mjs: writes docs/configuration.md and schemas/tacklebox.schema.json from the schemas that
// read the files. With --check nothing is written; stale files are named and the exit code is 1.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "rolldown";
import * as texts from "./configuration-texts.mjs";
import { binOf, exitWith, root, say } from "./run.mjs";

/** @typedef {import("./configuration-texts.mjs").KeyText} KeyText */
/** @typedef {{ [key: string]: any }} JsonSchema */

const schemaFile = "schemas/tacklebox.schema.json";
const pageFile = "docs/configuration.md";

await exitWith(async () => {
  const core = await loadCore();
  const parts = toParts(core);
  const files = {
    [schemaFile]: format(JSON.stringify(toEditorSchema(parts))),
    [pageFile]: toPage(parts),
  };
  const stale = Object.entries(files).filter(([file, text]) => readCurrent(file) !== text);
  if (process.argv.includes("--check")) {
    for (const [file] of stale) say(`${file} is stale; run: node scripts/generate-docs.mjs`);
    return stale.length === 0 ? 0 : 1;
  }
  for (const [file, text] of stale) write(file, text);
  return 0;
});

/** Loads the real schemas and defaults, so that the documentation describes the code that runs. */
async function loadCore() {
  const source = join(root, "packages/core/src");
  const entry = `
    export { z } from "zod";
    export * from "${source}/config/entries/fields.ts";
    export { SearchFields, ToolboxFields, ToolFields, WrittenEntry } from "${source}/config/entries/server-entry.ts";
    export { CallLogFields } from "${source}/config/entries/read-call-log.ts";
    export { ModelFields } from "${source}/config/entries/read-models.ts";
    export { DEFAULT_GPT_APPROVAL, GptFields } from "${source}/config/entries/read-gpts.ts";
    export { CustomToolFields } from "${source}/config/entries/read-custom-tools.ts";
    export { spellings } from "${source}/config/entries/written-transports.ts";
    export { DEFAULT_TOOLBOX } from "${source}/config/entries/to-toolbox-settings.ts";
    export { formatDuration } from "${source}/config/entries/parse-duration.ts";
    export { UNGOVERNED } from "${source}/domain/server.ts";
    export { DEFAULT_CALL_LOG, DEFAULT_TOOL_LIMITS } from "${source}/domain/limits.ts";`;
  const name = join(source, "documented.ts");
  const { output } = await build({
    cwd: root,
    input: name,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === name ? id : null),
        load: (id) => (id === name ? entry : null),
      },
    ],
    write: false,
    logLevel: "warn",
    output: { format: "esm" },
  });
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString("base64")}`);
}

/**
 * Describes each map in a config file: its JSON Schema, and the texts and defaults of its keys.
 *
 * @param {any} core
 */
function toParts(core) {
  const { UNGOVERNED, DEFAULT_TOOLBOX, DEFAULT_TOOL_LIMITS, DEFAULT_CALL_LOG, formatDuration } = core;
  const limits = { max_instances: DEFAULT_TOOL_LIMITS.maxInstances };
  const server = toJsonSchema(core.WrittenEntry, core);
  server.properties.transport = { enum: [...core.spellings("native").keys(), null] };
  const toolbox = toJsonSchema(core.ToolboxFields, core);
  const tool = toJsonSchema(core.ToolFields, core);
  toolbox.properties.tools = { anyOf: [{ type: "array", items: tool }, { type: "null" }] };
  const search = toJsonSchema(core.SearchFields, core);
  toolbox.properties.search = { anyOf: [search, { type: "null" }] };
  const defaultToolConfig = toJsonSchema(core.DefaultToolConfig, core);
  const rate = toJsonSchema(core.Rate, core);
  server.properties.default_tool_config = { anyOf: [defaultToolConfig, { type: "null" }] };
  server.properties.rate = { anyOf: [rate, { type: "null" }] };
  const customTool = toJsonSchema(core.CustomToolFields, core);
  customTool.properties.parameters = { type: ["object", "null"] };
  const parts = {
    server: {
      schema: server,
      texts: texts.serverTexts,
      defaults: {
        protocol: UNGOVERNED.protocol,
        mode: UNGOVERNED.mode,
        required: UNGOVERNED.required,
        enabled: UNGOVERNED.enabled,
        retry_attempts: UNGOVERNED.retryAttempts,
        timeout: formatDuration(UNGOVERNED.timeoutMs),
        reconnect: UNGOVERNED.reconnect,
        include: UNGOVERNED.include,
        pin: UNGOVERNED.pin,
      },
    },
    toolbox: {
      schema: toolbox,
      texts: texts.toolboxTexts,
      defaults: {
        max_concurrent: DEFAULT_TOOLBOX.maxConcurrent,
        max_wait: formatDuration(DEFAULT_TOOLBOX.maxWaitMs),
        collisions: DEFAULT_TOOLBOX.collisions,
        local_collision: DEFAULT_TOOLBOX.localCollision,
      },
    },
    tool: { schema: tool, texts: texts.toolTexts, defaults: {} },
    search: {
      schema: search,
      texts: texts.searchTexts,
      defaults: {
        top_k: DEFAULT_TOOLBOX.search.topK,
        top_n: DEFAULT_TOOLBOX.search.topN,
        include_score: DEFAULT_TOOLBOX.search.includeScore,
      },
    },
    limits: { schema: defaultToolConfig, texts: texts.limitTexts, defaults: limits },
    rate: { schema: rate, texts: texts.rateTexts, defaults: {} },
    calls: {
      schema: toJsonSchema(core.CallLogFields, core),
      texts: texts.callsTexts,
      defaults: {
        keep: formatDuration(DEFAULT_CALL_LOG.keepMs),
        keep_at_most: DEFAULT_CALL_LOG.keepAtMost,
        keep_bytes: DEFAULT_CALL_LOG.keepBytes,
        keep_result_bytes: DEFAULT_CALL_LOG.keepResultBytes,
        durability: DEFAULT_CALL_LOG.durability,
      },
    },
    model: { schema: toJsonSchema(core.ModelFields, core), texts: texts.modelTexts, defaults: {} },
    gpt: {
      schema: toJsonSchema(core.GptFields, core),
      texts: texts.gptTexts,
      defaults: { approval: core.DEFAULT_GPT_APPROVAL },
    },
    customTool: {
      schema: customTool,
      texts: texts.customToolTexts,
      defaults: { ...limits, timeout: formatDuration(UNGOVERNED.timeoutMs), include: UNGOVERNED.include },
    },
  };
  for (const part of Object.values(parts)) describe(part);
  return parts;
}

/**
 * @param {any} schema
 * @param {any} core
 * @returns {JsonSchema}
 */
function toJsonSchema(schema, { z, Duration, Period, ServerTimeout }) {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    /** @param {{ zodSchema: unknown, jsonSchema: JsonSchema }} context */
    override({ zodSchema, jsonSchema }) {
      if ([Duration, Period, ServerTimeout].includes(zodSchema)) jsonSchema.type = ["string", "number"];
    },
  });
  return rest;
}

/**
 * Adds the texts to the schema. Throws for a key without a text or a text without a key.
 *
 * @param {{ schema: JsonSchema, texts: Record<string, KeyText> }} part
 */
function describe({ schema, texts: of }) {
  const keys = Object.keys(schema.properties);
  const undescribed = keys.filter((key) => of[key] === undefined);
  const unknown = Object.keys(of).filter((key) => !keys.includes(key));
  if (undescribed.length + unknown.length > 0)
    throw new Error(
      `scripts/configuration-texts.mjs does not fit the schemas. No text: ${undescribed.join(", ") || "-"}. No key: ${unknown.join(", ") || "-"}.`,
    );
  for (const key of keys) {
    const { text } = /** @type {KeyText} */ (of[key]);
    schema.properties[key] = { description: plain(text), ...schema.properties[key] };
  }
}

/** @param {ReturnType<typeof toParts>} parts */
function toEditorSchema({ server, toolbox, calls, model, gpt, customTool }) {
  /** @param {string} key */
  const text = (key) => ({ description: plain(texts.rootTexts[key]?.text ?? "") });
  /** @param {{ schema: JsonSchema }} part */
  const mapOf = ({ schema }) => ({ anyOf: [{ type: "object", additionalProperties: schema }, { type: "null" }] });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Tacklebox configuration",
    type: "object",
    properties: {
      $schema: { ...text("$schema"), type: "string" },
      servers: { ...text("servers"), ...mapOf(server) },
      toolbox: { ...text("toolbox"), anyOf: [toolbox.schema, { type: "null" }] },
      calls: { ...text("calls"), anyOf: [calls.schema, { type: "null" }] },
      models: { ...text("models"), ...mapOf(model) },
      gpts: { ...text("gpts"), ...mapOf(gpt) },
      custom_tools: {
        ...text("custom_tools"),
        anyOf: [{ type: "array", items: customTool.schema }, { type: "null" }],
      },
    },
    additionalProperties: false,
  };
}

/** @param {ReturnType<typeof toParts>} parts */
function toPage({ server, toolbox, tool, search, limits, rate, calls, model, gpt, customTool }) {
  const rootRows = Object.entries(texts.rootTexts).map(([key, { text }]) => `| \`${key}\` | ${text} |`);
  return [
    texts.intro,
    `## Top level\n\n| Key | Means |\n|---|---|\n${rootRows.join("\n")}\n`,
    `## servers.NAME\n\n${toTable(server)}`,
    `## default_tool_config\n\n${toTable(limits)}`,
    `## rate\n\n${toTable(rate)}`,
    `## toolbox\n\n${toTable(toolbox)}`,
    `## toolbox.tools\n\n${toTable(tool)}`,
    `## toolbox.search\n\n${toTable(search)}`,
    `## calls\n\n${toTable(calls)}`,
    `## models.NAME\n\n${toTable(model)}`,
    `## gpts.KEY\n\n${toTable(gpt)}`,
    `## custom_tools\n\n${toTable(customTool)}`,
    texts.outro,
  ].join("\n");
}

/** @param {{ schema: JsonSchema, texts: Record<string, KeyText>, defaults: Record<string, any> }} part */
function toTable({ schema, texts: of, defaults }) {
  const rows = Object.entries(schema.properties).map(([key, value]) => {
    const written = defaults[key] === undefined ? (of[key]?.default ?? "") : `\`${String(defaults[key])}\``;
    return `| \`${key}\` | ${valueText(value)} | ${written} | ${of[key]?.text} |`;
  });
  return `| Key | Value | Default | Means |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

/**
 * @param {JsonSchema} schema
 * @returns {string}
 */
function valueText(schema) {
  const options = schema.anyOf?.filter((/** @type {JsonSchema} */ option) => option.type !== "null");
  if (options?.length === 1) return valueText(options[0]);
  if (schema.enum !== undefined)
    return schema.enum
      .filter((/** @type {unknown} */ value) => value !== null)
      .map((/** @type {string} */ value) => `\`${value}\``)
      .join(", ");
  if (Array.isArray(schema.type)) {
    const [type, ...others] = schema.type.filter((/** @type {string} */ name) => name !== "null");
    return others.length > 0 ? "duration" : valueText({ ...schema, type });
  }
  if (schema.type === "integer") return rangeText(schema);
  if (schema.type === "number") return `number from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "boolean") return "`true`, `false`";
  if (schema.type === "array") return schema.items?.type === "string" ? "list of strings" : "list";
  if (schema.type === "object" || schema.oneOf !== undefined || schema.anyOf !== undefined) return "map";
  return "string";
}

/** @param {JsonSchema} schema */
function rangeText({ minimum, maximum }) {
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? `whole number from ${minimum}`
    : `whole number from ${minimum} to ${maximum}`;
}

/** @param {string} text */
function plain(text) {
  return text.replace(/ See \[[^\]]*\]\([^)]*\)\./g, "").replaceAll("`", "");
}

/** @param {string} text */
function format(text) {
  const args = [binOf("@biomejs/biome", "biome"), "format", `--stdin-file-path=${schemaFile}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, input: text, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** @param {string} file */
function readCurrent(file) {
  try {
    return readFileSync(join(root, file), "utf8");
  } catch {
    return undefined;
  }
}

/**
 * @param {string} file
 * @param {string} text
 */
function write(file, text) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  say(`wrote ${file}`);
}
