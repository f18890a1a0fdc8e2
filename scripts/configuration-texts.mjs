// @ts-check
// The texts for each key in docs/configuration.md and the editor schema. generate-docs.mjs refuses to run when a key of
// the schemas has no text here, or a text has no key.

/** @typedef {{ text: string, default?: string }} KeyText */

/** @type {Record<string, KeyText>} */
export const rootTexts = {
  $schema: { text: "The address of the editor schema. Tacklebox ignores it." },
  servers: { text: "Your servers, each under a name of your choice." },
  toolbox: { text: "Settings for all servers together, and for single tools." },
  calls: { text: "How long calls are kept in the log. Toolbox files can have this key at the top level, too." },
  models: { text: "Language models, each under a name of your choice." },
  gpts: {
    text: "Saved assistants: instructions with an optional model, a choice of tools and an approval mode. They work with models of every vendor.",
  },
  custom_tools: {
    text: "HTTP endpoints that are used as tools, without an MCP server. They belong to a server called `custom`.",
  },
};

/** @type {Record<string, KeyText>} */
export const serverTexts = {
  transport: {
    text: "How the server is reached. `http` tries Streamable HTTP first, then SSE. The others have no fallback.",
    default: "`stdio` with `command`, `http` with `url`",
  },
  command: { text: "The program to start." },
  args: { text: "The arguments of the program.", default: "none" },
  env: {
    text: "Environment variables for the program. It also gets a few harmless ones of ours, such as PATH and HOME.",
    default: "none",
  },
  cwd: { text: "The folder that the program starts in.", default: "the current folder" },
  url: { text: "The address of a remote server. It must not contain a user name or password." },
  headers: { text: "Headers to send with every request.", default: "none" },
  authentication: {
    text: "Credentials to send as a header. It takes precedence over `headers`. See [authentication](#authentication).",
  },
  allow_insecure_http: {
    text: "Sends credentials to another machine over plain http. Use it only in networks that you trust.",
    default: "`false`",
  },
  description: { text: "A note for people." },
  protocol: { text: "The revision of MCP to use. `auto` finds out once and remembers it." },
  mode: {
    text: "`strict`: every tool must be listed in `toolbox.tools`. `dynamic`: tools that are not listed get the limits in `default_tool_config`.",
  },
  default_tool_config: { text: "Limits for tools that have none of their own. See [limits](#default_tool_config)." },
  required: { text: "Do not start without this server." },
  enabled: { text: "With `false`, the server is never connected and its tools cannot be called." },
  retry_attempts: { text: "How often a failed connection is tried again. Calls are never repeated." },
  timeout: {
    text: "How long connecting and listing tools may take. It is also the limit for calls of tools that have none.",
  },
  reconnect: { text: "Whether to connect again automatically after the connection is lost." },
  max_concurrent: { text: "How many calls may run on this server at the same time.", default: "no limit" },
  rate: { text: "How many calls the server gets per minute. See [rate](#rate).", default: "no limit" },
  include: {
    text: "When the tools of this server are offered to a model: `always`, only when a person adds them (`manual`), or when they fit the prompt (`agent`). See [many tools](tools-search.md).",
  },
  approval: {
    text: "`auto` runs calls, `ask` asks a person first, `deny` refuses them. Where nobody can be asked, `ask` refuses, too.",
    default: "the approval mode decides: the chat and editors ask, the command line runs the call",
  },
  pin: {
    text: "Tacklebox remembers the definition of each tool when it is first used: its name, description and schema. If the definition changes later, `warn` runs the tool with a warning; `block` refuses it until you accept the change with `tacklebox trust`.",
  },
  allow: { text: "Only these tools may be called. `*` stands for any characters.", default: "all" },
  deny: { text: "These tools may not be called. Takes precedence over `allow`.", default: "none" },
  prompts: {
    text: "Prompts to fetch when the server connects. If the server does not have one of them, you get a warning.",
    default: "none",
  },
};

/** @type {Record<string, KeyText>} */
export const toolboxTexts = {
  max_concurrent: { text: "How many calls may run at the same time, on all servers together." },
  max_wait: { text: "How long a call may wait until it can run. After that it ends as `limit`." },
  local: { text: "Built-in tools to enable. Each must also be listed in `tools`.", default: "none" },
  tools: { text: "Settings for single tools. See [tools](#toolboxtools).", default: "none" },
  collisions: {
    text: "What happens to tools with the same name. A name stays with the tool that has it until its server is removed or renamed. If several servers offer a new name at the same time, the last one in the file gets it. `qualify` shows the others as `server__tool`. `hide` gives them no name; they can still be called together with their server. Names that only look the same count as the same.",
  },
  local_collision: {
    text: "Who gets a new name that both a built-in tool and a server use: the built-in tool, or the last of them.",
  },
  search: {
    text: "How tools are chosen for a model if there are too many for one request. See [search](#toolboxsearch).",
    default: "the defaults below",
  },
};

/** @type {Record<string, KeyText>} */
export const searchTexts = {
  budget: {
    text: "How many tokens tool definitions may take in a request. If the `always` tools need more, some of them are left to search.",
    default: "8000, or a tenth of the model's context window if that is less",
  },
  top_k: { text: "How many matches for a prompt are considered." },
  top_n: {
    text: "How many of these are always sent, best first, even if they match poorly. Limited to two fifths of the budget.",
  },
  include_score: { text: "The others are sent if their score is at least this." },
  embeddings: {
    text: "A model under `models`, or `name/id`, whose embeddings are used in addition to words. The texts of tools and searches are sent to it.",
    default: "none",
  },
  rerank: {
    text: "A model under `models` that ranks the 50 best matches, with one short request per search.",
    default: "none",
  },
};

/** @type {Record<string, KeyText>} */
export const toolTexts = {
  name: { text: "The name that the server gives the tool. Required." },
  server: { text: "The server of the tool. Without it, the entry applies to every tool with this name." },
  mcp: { text: "The same as `server`." },
  max_instances: {
    text: "How many calls of this tool may run at the same time.",
    default: "the server's `default_tool_config`",
  },
  timeout: { text: "How long one call may take.", default: "the server's `default_tool_config`" },
  approval: { text: "As for servers, but for this tool only.", default: "that of the server" },
  include: { text: "As for servers, but for this tool only.", default: "that of the server" },
  mode: {
    text: "`strict` ignores the default limits of the server, `dynamic` uses them.",
    default: "that of the server",
  },
};

/** @type {Record<string, KeyText>} */
export const limitTexts = {
  max_instances: { text: "How many calls of one tool may run at the same time." },
  timeout: { text: "How long one call may take.", default: "the server's `timeout`" },
};

/** @type {Record<string, KeyText>} */
export const rateTexts = {
  per_minute: { text: "Calls per minute. Required." },
  burst: { text: "How many calls may come at once. Required." },
};

/** @type {Record<string, KeyText>} */
export const callsTexts = {
  keep: {
    text: "How long a call is kept. Age is counted back from the newest call, not from today, so neither an unused log nor a wrong clock loses calls. At most a quarter of the calls is removed at a time (at the start, then every hour). Calls that have not ended are never removed.",
  },
  keep_at_most: { text: "How many calls are kept. The oldest are removed first." },
  keep_bytes: {
    text: "How much space all calls together may take. The oldest are removed first. The file does not shrink; the space is used for new calls.",
  },
  keep_result_bytes: {
    text: "How much of a result or an error is kept. Of a larger one, the log has the beginning, and the size and SHA-256 of the whole. The caller always gets the whole result.",
  },
  durability: {
    text: "`full` writes every record to the disk before its call continues, so that even a power cut loses none. `normal` is faster: it survives a crash of the program, but not always of the machine. Takes effect at the next start.",
  },
};

/** @type {Record<string, KeyText>} */
export const modelTexts = {
  vendor: {
    text: "Who provides the model. `ollama`, `llamacpp`, `vllm` and `lmstudio` mean `openai-compatible` at their usual address. Required.",
  },
  model: { text: "The vendor's ID of the model. Required." },
  api_key: {
    text: "The API key, as `${VARIABLE}` or `${secret:NAME}`. Required for `openai` and `anthropic`.",
    default: "none",
  },
  base_url: {
    text: "The address to send requests to. Required for `openai-compatible`.",
    default: "that of the vendor, or of the program on this machine",
  },
  api: {
    text: "Which of the two OpenAI APIs to use.",
    default: "`responses` for `openai`, `chat` for compatible vendors",
  },
  headers: { text: "Headers to send with every request.", default: "none" },
  allow_insecure_http: {
    text: "Sends the key to another machine over plain http. Use it only in networks that you trust.",
    default: "`false`",
  },
  vision: { text: "Whether the model accepts images.", default: "detected for known models" },
  context_tokens: { text: "The size of the model's context window, in tokens.", default: "detected for known models" },
  max_output_tokens: { text: "The maximum length of an answer, in tokens.", default: "that of the vendor" },
  default: {
    text: "Used when no model is named. At most one model can have it.",
    default: "`false`; if no model has it, the first is used",
  },
};

/** @type {Record<string, KeyText>} */
export const gptTexts = {
  name: { text: "A name for people.", default: "its key" },
  description: { text: "A note for people." },
  instructions: { text: "What the model is told at the beginning.", default: "nothing" },
  model: { text: "A name under `models`, or a vendor's model ID.", default: "the default model" },
  servers: { text: "The servers whose tools the assistant may use.", default: "all" },
  tools: {
    text: "Settings for single tools, written `server:tool`. A tool is offered `always`, when a person adds it (`manual`), when it fits the prompt (`agent`), or never (`off`).",
    default: "`include` of the tool or its server",
  },
  approval: {
    text: "Which calls a person is asked about: none (`auto`), all (`always-ask`), or all but those of `trusted_tools` (`trusted-only`). `approval` of a tool or its server takes precedence.",
  },
  trusted_tools: {
    text: "Tools that `trusted-only` does not ask about, written `server:tool`. A name without a server counts only while a single tool has it.",
    default: "none",
  },
};

/** @type {Record<string, KeyText>} */
export const customToolTexts = {
  name: { text: "1 to 50 letters, digits, `_` or `-`. Required." },
  description: { text: "What models and people read, up to 500 characters. Required." },
  parameters: {
    text: "The arguments, as a JSON Schema with `type: object`. Variables in it are not replaced.",
    default: "none",
  },
  endpoint: {
    text: "The address that the arguments are sent to, as JSON in a POST request. Plain http is allowed for this machine only. Required. See [answers](#answers-of-custom-tools).",
  },
  authentication: { text: "Credentials, as for servers. See [authentication](#authentication).", default: "none" },
  headers: { text: "Headers to send with every call.", default: "none" },
  allow_insecure_http: {
    text: "Allows plain http to another machine. Use it only in networks that you trust.",
    default: "`false`",
  },
  max_instances: { text: "How many calls of this tool may run at the same time." },
  timeout: { text: "How long one call may take." },
  approval: { text: "As for servers, but for this tool only.", default: "the approval mode decides" },
  include: { text: "As for servers, but for this tool only." },
};

export const intro = `# Configuration

This page lists every key of \`tacklebox.yaml\` and \`tacklebox.json\`. Files in other formats have their own pages:
[toolbox](dialects/toolbox.md), [gateway](dialects/gateway.md), [mcpServers](dialects/mcp-servers.md).

- An unknown key is an error that suggests the nearest known one.
- All problems of a file are reported at once, each with its line. To see them, run \`tacklebox check\`.
- An empty key counts as missing.

A config file with two servers:

\`\`\`yaml
servers:
  files:
    command: npx
    args: [-y, "@modelcontextprotocol/server-filesystem", .]
    allow: ["read_*", "list_*"]
  customers:
    url: https://crm.example.com/mcp
    authentication: { type: bearer, token: "\${CRM_TOKEN}" }
    mode: strict
toolbox:
  max_concurrent: 10
  tools:
    - { name: get_customer, server: customers, max_instances: 10, timeout: PT1M }
    - { name: delete_customer, server: customers, approval: deny }
\`\`\`

Models, a saved assistant, and an HTTP endpoint that is used as a tool:

\`\`\`yaml
models:
  fast: { vendor: openai, model: gpt-5.4-mini, api_key: "\${OPENAI_API_KEY}", default: true }
  home: { vendor: ollama, model: "qwen3:8b" }
gpts:
  forecaster:
    instructions: Answer in one sentence.
    model: home
    servers: [custom]
    approval: trusted-only
    trusted_tools: ["custom:weather"]
custom_tools:
  - name: weather
    description: The weather of a city today.
    parameters: { type: object, properties: { city: { type: string } }, required: [city] }
    endpoint: https://weather.example.com/today
    authentication: { type: bearer, token: "\${secret:WEATHER_TOKEN}" }
    timeout: PT10S
\`\`\`
`;

export const outro = `## authentication

How Tacklebox signs in to a server or a custom tool:

| \`type\` | Other keys | Sends |
|---|---|---|
| \`none\` | | nothing |
| \`bearer\` | \`token\` | \`Authorization: Bearer <token>\` |
| \`api-key\` | \`key\`, \`header\` (default \`x-api-key\`) | \`<header>: <key>\` |
| \`basic\` | \`username\`, \`password\` | \`Authorization: Basic …\` |

Over plain http, credentials are only sent to this machine, unless \`allow_insecure_http\` is set.

## Answers of custom tools

| The endpoint answers | The tool's result |
|---|---|
| 2xx with a JSON object | the text, and the object as structured content |
| 2xx with other text, or nothing | the text |
| 2xx with an image, audio or other bytes | an image, audio or resource block |
| 401, 403 | none; the call ends as \`sign-in-needed\` |
| 429, 503 | none; the call ends as \`unreachable\`. If there is a \`Retry-After\`, nothing is sent to the host until then |
| anything else | an error, with the status and the first 2 KB of the body |

Redirects are followed within the same host only. Limits, approvals, the call log and \`pin\` work as for every other tool.

## Durations

Write a duration in ISO 8601 (\`PT30S\`, \`P0DT0H1M0S\`), as hours, minutes and seconds (\`00:00:30\`), or as a number of seconds
(\`30\`). A number in quotes is refused: \`"30"\`.

## Variables and secrets

| Write | To use |
|---|---|
| \`\${NAME}\` | an environment variable; if it is not set, you get an error |
| \`\${NAME:-default}\` | an environment variable, or a default if it is not set |
| \`\${secret:NAME}\` | a secret from the vault, stored with \`tacklebox secret set NAME\`. Allowed where credentials are allowed |
| \`$\${\` | the characters \`\${\` themselves |

Secrets are filled in when a connection opens, and nowhere else: lists, records and messages never contain the value.

Tacklebox recognises these values as secrets and redacts them in results, logs, records, lists and requests to models:

| Where | What |
|---|---|
| \`\${secret:NAME}\`, \`authentication\`, \`api_key\` | always |
| \`headers\`, and \`--header\` or \`-H\` in \`args\` | all values, except for harmless headers such as \`Accept\` |
| \`env\`, \`--flag\` and \`-e NAME=\` in \`args\`, parameters of a \`url\` | values whose name suggests a secret: token, key, secret, password, auth and the like. An ordinary word, as in \`AUTH_PROVIDER=github\` or \`--sort-key=created_at\`, is redacted only if the name leaves no doubt, such as \`API_KEY\` |
| anywhere in \`env\` and \`args\` | passwords in URLs and connection strings (\`Password=\`, \`AccountKey=\`), \`Bearer …\`, tokens of well-known kinds |
| \`\${NAME}\` in any of these places | the value, if the name suggests a secret. Under another name, only if it has at least 8 characters and does not look like a path, a host or up to three words |

Some values cannot be redacted, because they would also match ordinary text:

- Values with fewer than 6 characters. If a credential is that short, you get a warning at the start.
- Well-known passwords that are ordinary words, such as \`password\`, \`postgres\` and \`changeme\`. You get a warning at the start. A URL
  that contains one is redacted as a whole.

The vault refuses both: its secrets need at least 8 characters.

A tool whose name or schema contains a secret cannot be called. \`tacklebox servers\` says so and, if known, where the secret is
written.

## Environment overrides

A variable that starts with \`TACKLEBOX__\` overrides a value of the file before the file is checked. \`__\` goes one level down. In a
list, use the index or the name of the entry. Overrides do not apply to a file that was
[found in the current folder](operators.md#config-files-in-the-current-folder).

| Variable | Changes |
|---|---|
| \`TACKLEBOX__TOOLBOX__MAX_CONCURRENT=3\` | \`toolbox.max_concurrent\` |
| \`TACKLEBOX__SERVERS__files__ENABLED=false\` | \`servers.files.enabled\` |

For toolbox files, \`APP_MYAI__\` works as well; see [migration](migration.md#environment).

## About this page

It is generated from the schemas that read the file. To change it, edit \`scripts/configuration-texts.mjs\` and run
\`node scripts/generate-docs.mjs\`.
`;
