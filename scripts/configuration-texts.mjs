// @ts-check
// The texts for each key in docs/configuration.md and the editor schema. generate-docs.mjs refuses to run when a key of
// the schemas has no text here, or a text has no key.

/** @typedef {{ text: string, default?: string }} KeyText */

/** @type {Record<string, KeyText>} */
export const rootTexts = {
  $schema: { text: "The address of the editor schema; ignored otherwise." },
  servers: { text: "The servers, each under the name it is called by." },
  toolbox: { text: "What holds for all servers together." },
  calls: { text: "The record of calls. Also read at the top of toolbox files." },
  models: { text: "Language models, each under the name it is asked for by." },
  gpts: { text: "Assistants: instructions, a model, a choice of tools, and who decides about calls." },
  custom_tools: {
    text: "HTTP endpoints that are tools without an MCP server. They belong to a server called `custom`.",
  },
};

/** @type {Record<string, KeyText>} */
export const serverTexts = {
  transport: {
    text: "How the server is reached. `http` tries Streamable HTTP and falls back to SSE; the others are exact.",
    default: "`stdio` with `command`, `http` with `url`",
  },
  command: { text: "The program to start." },
  args: { text: "Its arguments.", default: "none" },
  env: {
    text: "Environment variables it gets, besides a small safe set of ours (PATH, HOME and the like).",
    default: "none",
  },
  cwd: { text: "The folder it starts in.", default: "the current one" },
  url: { text: "The address of a remote server, without a user name or password in it." },
  headers: { text: "Sent with every request.", default: "none" },
  authentication: {
    text: "Credentials, sent as a header that wins over `headers`. See [authentication](#authentication).",
  },
  allow_insecure_http: {
    text: "Sends credentials over plain http to another machine. Only for networks you trust.",
    default: "`false`",
  },
  description: { text: "For people." },
  protocol: { text: "Which revision of MCP to speak. `auto` asks once and remembers." },
  mode: {
    text: "`strict`: every tool must be listed in `toolbox.tools`. `dynamic`: the others take `default_tool_config`.",
  },
  default_tool_config: { text: "Limits of tools that have none of their own. See [limits](#default_tool_config)." },
  required: { text: "Do not start without this server." },
  enabled: { text: "A disabled server is never connected and has no tools." },
  retry_attempts: { text: "How often connecting is tried again. Calls never are." },
  timeout: { text: "How long connecting and listing may take, and a call whose tool has no limit of its own." },
  reconnect: { text: "Whether a connection that dropped is opened again by itself." },
  max_concurrent: { text: "Calls of this server at the same time.", default: "no limit of its own" },
  rate: { text: "How many calls per minute. See [rate](#rate).", default: "no limit" },
  include: {
    text: "Whether its tools are offered to a model always, when a person adds them, or when a search finds them.",
  },
  approval: {
    text: "`auto` runs tools, `ask` asks a person first, `deny` refuses. Where nobody can answer, `ask` refuses too.",
    default: "what the way in says; the command line runs them",
  },
  pin: {
    text: "What happens to a tool whose definition changed since it was first used: run with a warning, or refuse.",
  },
  allow: { text: "Only these tools; `*` stands for anything.", default: "all" },
  deny: { text: "Not these tools. Wins over `allow`.", default: "none" },
  prompts: { text: "Prompts to fetch when the server connects; one it does not have is a warning.", default: "none" },
};

/** @type {Record<string, KeyText>} */
export const toolboxTexts = {
  max_concurrent: { text: "Calls at the same time, over all servers." },
  max_wait: { text: "How long a call may wait for a free place before it ends as `limit`." },
  local: { text: "Built-in tools to switch on; each must also be in `tools`.", default: "none" },
  tools: { text: "Settings of single tools. See [tools](#toolboxtools).", default: "none" },
  collisions: {
    text: "A name stays with the tool that has it until its server is removed or renamed. If several servers have a tool of one new name, the last one in the file gets it. `qualify` shows the others as `server__tool`; `hide` leaves them without a name, so that they are called together with their server. Names that only look the same count as one.",
  },
  local_collision: {
    text: "Who gets a new name that a built-in tool and a server's have: the built-in one, or the last.",
  },
  search: {
    text: "How tools are chosen for a model where not all of them fit. See [search](#toolboxsearch).",
    default: "the defaults there",
  },
};

/** @type {Record<string, KeyText>} */
export const searchTexts = {
  budget: {
    text: "How many tokens the definitions of tools may take of a request. What `always` tools take beyond it is left to search.",
    default: "8000, or a tenth of the model's window where that is less",
  },
  top_k: { text: "How many matches of a prompt are looked at." },
  top_n: {
    text: "How many of them are sent however weak they are, best first, as far as two fifths of the budget go.",
  },
  include_score: { text: "The others are sent if they match at least this well." },
  embeddings: {
    text: "A model of `models` (also `name/id`) whose embeddings count beside words. What tools say and what is searched for is sent to it.",
    default: "none",
  },
  rerank: {
    text: "A model of `models` that puts the 50 best matches in order, with one short request for every search.",
    default: "none",
  },
};

/** @type {Record<string, KeyText>} */
export const toolTexts = {
  name: { text: "The tool, as its server calls it. Required." },
  server: { text: "The server it belongs to; without it the entry holds for every tool of that name." },
  mcp: { text: "Another word for `server`." },
  max_instances: { text: "Calls of this tool at the same time.", default: "the server's `default_tool_config`" },
  timeout: { text: "How long one call may take.", default: "the server's `default_tool_config`" },
  approval: { text: "As for servers, for this tool alone.", default: "the server's" },
  include: { text: "As for servers, for this tool alone.", default: "the server's" },
  mode: { text: "`strict` takes no limits from the server's defaults, `dynamic` does.", default: "the server's" },
};

/** @type {Record<string, KeyText>} */
export const limitTexts = {
  max_instances: { text: "Calls of one tool at the same time." },
  timeout: { text: "How long one call may take.", default: "the server's `timeout`" },
};

/** @type {Record<string, KeyText>} */
export const rateTexts = {
  per_minute: { text: "Calls per minute. Required." },
  burst: { text: "Calls that may come at once. Required." },
};

/** @type {Record<string, KeyText>} */
export const callsTexts = {
  keep: {
    text: "How long a call is kept, counted back from the newest call and not from today: a log that is not used loses nothing, and neither does one that a wrong clock is used with. At most a quarter of the calls goes at a time (at a start, then every hour). Calls that have not ended always stay.",
  },
  keep_at_most: { text: "How many calls are kept; the oldest go first." },
  keep_bytes: {
    text: "How large all calls together may become; the oldest go first. The file itself does not become smaller: the room is used for new calls.",
  },
  keep_result_bytes: {
    text: "How much of a result is kept, and how much of an error. Of a larger one the record has the beginning, the size and the SHA-256 of all of it. Whoever made the call always gets the whole.",
  },
  durability: {
    text: "`full`: every record is on the disk before its call goes on, so not even the loss of power loses one. `normal` is faster and survives the end of the program, not always that of the machine. Read when the program starts.",
  },
};

/** @type {Record<string, KeyText>} */
export const modelTexts = {
  vendor: {
    text: "Who is asked. `ollama`, `llamacpp`, `vllm` and `lmstudio` are `openai-compatible` at the address they listen on. Required.",
  },
  model: { text: "The vendor's own id of the model. Required." },
  api_key: {
    text: "The key, as `${VARIABLE}` or `${secret:NAME}`. Required for `openai` and `anthropic`.",
    default: "none",
  },
  base_url: {
    text: "Where requests go. Required for `openai-compatible`.",
    default: "the vendor's; that of the local program",
  },
  api: {
    text: "Which of OpenAI's two APIs.",
    default: "`responses` for `openai`, `chat` for all compatible with it",
  },
  headers: { text: "Sent with every request.", default: "none" },
  allow_insecure_http: {
    text: "Sends the key over plain http to another machine. Only for networks you trust.",
    default: "`false`",
  },
  vision: { text: "Whether it takes images.", default: "as far as is known" },
  context_tokens: { text: "How much fits into one request.", default: "as far as is known" },
  max_output_tokens: { text: "The most it may answer with.", default: "the vendor's" },
  default: { text: "Used when nobody names a model. At most one.", default: "`false`; without any, the first" },
};

/** @type {Record<string, KeyText>} */
export const gptTexts = {
  name: { text: "For people.", default: "its key" },
  description: { text: "For people." },
  instructions: { text: "What the model is told first.", default: "nothing" },
  model: { text: "A name under `models`, or a vendor's id.", default: "the default model" },
  servers: { text: "The servers whose tools it may use.", default: "all" },
  tools: {
    text: "Single tools, written `server:tool`: part of a request `always`, when a person adds them (`manual`), when a search finds them (`agent`), or never (`off`).",
    default: "what the server or tool says",
  },
  approval: {
    text: "Which calls a person is asked about: none, all, or all but those of `trusted_tools`. A server's or tool's own `approval` wins.",
  },
  trusted_tools: {
    text: "Tools that `trusted-only` does not ask about, written `server:tool`. A bare name counts only while one tool has it.",
    default: "none",
  },
};

/** @type {Record<string, KeyText>} */
export const customToolTexts = {
  name: { text: "1 to 50 letters, digits, `_` or `-`. Required." },
  description: { text: "What models and people read, up to 500 characters. Required." },
  parameters: {
    text: "The arguments, as a JSON Schema with `type: object`. Taken as it is: no variables are filled in.",
    default: "none",
  },
  endpoint: {
    text: "Where the arguments are sent, as a POST of JSON. Plain http is for this machine only. Required. See [answers](#answers-of-custom-tools).",
  },
  authentication: { text: "Credentials, as for servers. See [authentication](#authentication).", default: "none" },
  headers: { text: "Sent with every call.", default: "none" },
  allow_insecure_http: {
    text: "Allows plain http to another machine. Only for networks you trust.",
    default: "`false`",
  },
  max_instances: { text: "Calls of this tool at the same time." },
  timeout: { text: "How long one call may take." },
  approval: { text: "As for servers, for this tool alone.", default: "what the way in says" },
  include: { text: "As for servers, for this tool alone." },
};

export const intro = `# Configuration

Every key of \`tacklebox.yaml\` (or \`tacklebox.json\`). This page is made from the schemas that read the file by
\`node scripts/generate-docs.mjs\`; do not edit it by hand. Files of other programs have pages of their own:
[toolbox](dialects/toolbox.md), [gateway](dialects/gateway.md), [mcpServers](dialects/mcp-servers.md),
[editors and the app](dialects/acp-and-app.md).

A key nobody knows is an error that names the nearest one. All problems of a file are reported at once, each with its line.
A key with nothing behind it is the same as none.

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

Models, assistants and tools without a server of their own:

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

| \`type\` | Other keys | Sends |
|---|---|---|
| \`none\` | | nothing |
| \`bearer\` | \`token\` | \`Authorization: Bearer <token>\` |
| \`api-key\` | \`key\`, \`header\` (default \`x-api-key\`) | \`<header>: <key>\` |
| \`basic\` | \`username\`, \`password\` | \`Authorization: Basic …\` |

Over plain http credentials are sent to this machine only, unless \`allow_insecure_http\` is set.

## Answers of custom tools

| The endpoint answers | The tool's result |
|---|---|
| 2xx with a JSON object | its text, and the object as structured content |
| 2xx with other text, or nothing | the text |
| 2xx with an image, a sound or other bytes | an image, audio or resource block |
| 401, 403 | ends as \`sign-in-needed\` |
| 429, 503 | ends as \`unreachable\`; after a \`Retry-After\` the host is not asked before then |
| anything else | an error for the model: the status and the first 2 KB of the body |

Redirects are followed within one host only. Limits, approval, records and pins hold as for every other tool.

## Durations

ISO-8601 such as \`PT30S\` or \`P0DT0H1M0S\`, a clock such as \`00:00:30\`, or a plain number of seconds. Text in quotes needs a
unit: \`"30"\` is refused.

## Variables and secrets

\`\${NAME}\` is read from the environment and \`\${NAME:-default}\` has a default; a missing one is an error. \`$\${\` stands for the
characters \`\${\` themselves. \`\${secret:NAME}\` is filled from the vault (\`tacklebox secret set NAME\`) when a connection opens,
and only there: listings, records and messages never hold its value.

What is known as a secret is redacted in results, logs, records, listings and requests to models:

| Where | What |
|---|---|
| \`\${secret:NAME}\`, \`authentication\`, \`api_key\` | always |
| \`headers\`, and \`--header\` or \`-H\` in \`args\` | every value but that of harmless headers such as \`Accept\` |
| \`env\`, \`--flag\` and \`-e NAME=\` in \`args\`, parameters of a \`url\` | values whose name says so: token, key, secret, password, auth …; an ordinary word, as in \`AUTH_PROVIDER=github\` or \`--sort-key=created_at\`, only under a name that leaves no doubt, such as \`API_KEY\` |
| anywhere in \`env\` and \`args\` | passwords in URLs and connection strings (\`Password=\`, \`AccountKey=\`), \`Bearer …\`, well-known tokens |
| \`\${NAME}\` in any of these places | its value if the variable's name says so; under another name if it has 8 characters or more and does not read like a path, a host or up to three words |

Values of less than 6 characters are not redacted, because they occur by chance; a start warns of a credential that short. Nor
are passwords that everybody knows and that are ordinary words (\`password\`, \`postgres\`, \`changeme\`): the start warns of these too, and a URL
with one is redacted as a whole. The vault takes secrets of 8 characters or more, and none that everybody knows. A tool whose name or schema holds a secret is set
aside; \`tacklebox servers\` says so, and as far as it is known where that secret is written.

## Environment overrides

A variable that starts with \`TACKLEBOX__\` is put over the file before it is checked, unless the file was merely
[found in the current folder](operators.md#a-config-file-that-is-found-in-a-folder); \`__\` goes one level down. In a list the
step is an index or the entry's name.

| Variable | Changes |
|---|---|
| \`TACKLEBOX__TOOLBOX__MAX_CONCURRENT=3\` | \`toolbox.max_concurrent\` |
| \`TACKLEBOX__SERVERS__files__ENABLED=false\` | \`servers.files.enabled\` |

Toolbox files have \`APP_MYAI__\` as well; see [migration](migration.md#environment).
`;
