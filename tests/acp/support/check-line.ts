import { createRequire } from "node:module";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const require = createRequire(import.meta.url);
// The schema's formats are Rust number types; it also states their ranges.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(require("@agentclientprotocol/sdk/schema/v1/schema.json"), "acp");

/** Schema names of the requests and notifications the agent may send. */
const AGENT_MESSAGES: Readonly<Record<string, string>> = {
  "session/update": "SessionNotification",
  "session/request_permission": "RequestPermissionRequest",
  "elicitation/create": "CreateElicitationRequest",
  "$/cancel_request": "CancelRequestNotification",
};

const RESULTS: Readonly<Record<string, string>> = {
  initialize: "InitializeResponse",
  "session/new": "NewSessionResponse",
  "session/load": "LoadSessionResponse",
  "session/resume": "ResumeSessionResponse",
  "session/list": "ListSessionsResponse",
  "session/close": "CloseSessionResponse",
  "session/delete": "DeleteSessionResponse",
  "session/set_mode": "SetSessionModeResponse",
  "session/set_config_option": "SetSessionConfigOptionResponse",
  "session/set_model": "SetSessionModeResponse",
  "session/prompt": "PromptResponse",
};

/**
 * Returns what is wrong with a line from the agent, by the schema that comes with the SDK. The root of that schema
 * accepts any unknown method and any result as an extension, so each line is checked against the definition for its
 * method.
 */
export function problemOf(line: string, methodOf: (id: unknown) => string | undefined): string | undefined {
  const message = parseLine(line);
  if (typeof message !== "object" || message === null || !("jsonrpc" in message) || message.jsonrpc !== "2.0")
    return "not JSON-RPC 2.0";
  if ("method" in message) {
    const name = AGENT_MESSAGES[String(message.method)];
    return name === undefined ? "no such method" : check(name, "params" in message ? message.params : undefined);
  }
  const id = "id" in message ? message.id : undefined;
  if ("error" in message) return check("Error", message.error);
  const name = RESULTS[methodOf(id) ?? ""];
  return name === undefined
    ? "answers nothing that was asked"
    : check(name, "result" in message ? message.result : undefined);
}

/** Undefined when the line is not JSON. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const compiled = new Map<string, ValidateFunction>();

function check(name: string, value: unknown): string | undefined {
  const validate = compiled.get(name) ?? ajv.compile({ $ref: `acp#/$defs/${name}` });
  compiled.set(name, validate);
  return validate(value) ? undefined : `not a ${name}: ${ajv.errorsText(validate.errors)}`;
}
