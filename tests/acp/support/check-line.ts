import { createRequire } from "node:module";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const require = createRequire(import.meta.url);
// The formats are those of Rust's numbers; ranges are written out beside them.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(require("@agentclientprotocol/sdk/schema/v1/schema.json"), "acp");

/** Everything the agent may say unasked. */
const SAID: Readonly<Record<string, string>> = {
  "session/update": "SessionNotification",
  "session/request_permission": "RequestPermissionRequest",
  "elicitation/create": "CreateElicitationRequest",
  "$/cancel_request": "CancelRequestNotification",
};

const ANSWERED: Readonly<Record<string, string>> = {
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
 * What is wrong with a line of the agent, by the schema that comes with the SDK. The schema's own root lets any unknown
 * method and any result pass as an extension, so each is held against what it must be.
 */
export function problemOf(line: string, methodOf: (id: unknown) => string | undefined): string | undefined {
  const message = parseLine(line);
  if (typeof message !== "object" || message === null || !("jsonrpc" in message) || message.jsonrpc !== "2.0")
    return "not JSON-RPC 2.0";
  if ("method" in message) {
    const name = SAID[String(message.method)];
    return name === undefined ? "no such method" : check(name, "params" in message ? message.params : undefined);
  }
  const id = "id" in message ? message.id : undefined;
  if ("error" in message) return check("Error", message.error);
  const name = ANSWERED[methodOf(id) ?? ""];
  return name === undefined
    ? "answers nothing that was asked"
    : check(name, "result" in message ? message.result : undefined);
}

/** Undefined when it is no JSON. */
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
