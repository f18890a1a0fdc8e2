import { isJsonObject, type Json, type JsonSchema } from "../json/json.ts";
import { invalidMirrors, mirroredArguments } from "../json/mirrored-arguments.ts";
import { isCertainlySecretName } from "../secrets/secret-names.ts";

/**
 * Says why a tool must not be used where marked arguments are repeated in headers; undefined if it may. Headers are
 * written to the logs of proxies and servers, so no argument that looks like a secret may be in one (T14).
 */
export function mirrorProblem(schema: JsonSchema): string | undefined {
  const [wrong] = invalidMirrors(schema);
  if (wrong !== undefined) return `its x-mcp-header of '${wrong}' is not valid, and the protocol forbids using it then`;
  const secret = mirroredArguments(schema).find(({ path }) => looksSecret(path, propertyAt(schema, path)));
  if (secret === undefined) return undefined;
  return `it wants the argument '${secret.path.join(".")}' repeated in the HTTP header ${secret.header} (x-mcp-header), but that looks like a secret, and headers end up in logs. Its server has to take off that mark`;
}

function looksSecret(path: readonly string[], property: Json | undefined): boolean {
  const name = path.at(-1) ?? "";
  // A plain `key` is mostly that of a record.
  if (/^(authorization|auth|cookie)$/i.test(name) || (isCertainlySecretName(name) && !/^key$/i.test(name))) return true;
  return isJsonObject(property) && (property.format === "password" || property.writeOnly === true);
}

function propertyAt(schema: JsonSchema, path: readonly string[]): Json | undefined {
  let node: Json | undefined = schema;
  for (const name of path) {
    const properties: Json | undefined = isJsonObject(node) ? node.properties : undefined;
    node = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  }
  return node;
}
