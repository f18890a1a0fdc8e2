import type { RemoteLaunch, StdioLaunch } from "../domain/launch.ts";
import { carriesCredentials, secretsOf } from "../secrets/find-secrets.ts";
import { isSecretUnder } from "../secrets/guessed-secrets.ts";
import type { MCPServerConfig } from "./schemas.ts";

/** A value that must not be stored in clear text, and its name in the vault. */
export interface Credential {
  readonly name: string;
  readonly value: string;
}

export interface SealedConfig {
  /** The config with `${secret:NAME}` in place of each credential. */
  readonly config: MCPServerConfig;
  readonly credentials: readonly Credential[];
}

/** Replaces the credentials of a record by references (S1.47). A text that already names a secret is left as it is. */
export function sealCredentials(config: MCPServerConfig): SealedConfig {
  const credentials: Credential[] = [];
  const seal = (field: string, value: string): string => {
    if (value === "" || value.includes("${secret:")) return value;
    const name = `${secretPrefix(config.id)}${field.replace(/[^A-Za-z0-9_.-]/g, escapeCharacter)}`;
    credentials.push({ name, value });
    return `\${secret:${name}}`;
  };
  const sealed: MCPServerConfig = { ...config, authentication: sealAuthentication(config.authentication, seal) };
  if (config.headers !== undefined) sealed.headers = sealMembers(config.headers, "headers", isSecretHeader, seal);
  if (config.env !== undefined) sealed.env = sealMembers(config.env, "env", isSecretVariable, seal);
  if (config.args !== undefined) sealed.args = sealArguments(config.args, seal);
  if (config.url !== undefined) sealed.url = sealQuery(config.url, seal);
  return { config: sealed, credentials };
}

/** The prefix of the names of one server's secrets. */
function secretPrefix(serverId: string): string {
  return `mcp:${serverId}:`;
}

/** The names of the server's own secrets that a record refers to. */
export function ownSecretNames(serverId: string, record: object): string[] {
  const names = [...JSON.stringify(record).matchAll(/\$\{secret:([^}"]*)\}/g)].map(([, name = ""]) => name);
  return [...new Set(names.filter((name) => name.startsWith(secretPrefix(serverId))))];
}

type Seal = (field: string, value: string) => string;
type Authentication = MCPServerConfig["authentication"];

function sealAuthentication(authentication: Authentication, seal: Seal): Authentication {
  switch (authentication.type) {
    case "none":
      return authentication;
    case "bearer":
      return { ...authentication, token: seal("token", authentication.token) };
    case "api-key":
      return { ...authentication, key: seal("key", authentication.key) };
    case "basic": {
      const { username, password } = authentication;
      // Without a password, the user name is the credential.
      if (password === "") return { ...authentication, username: seal("username", username) };
      return { ...authentication, password: seal("password", password) };
    }
  }
}

function sealMembers(
  members: Readonly<Record<string, string>>,
  field: string,
  isSecret: (name: string, value: string) => boolean,
  seal: Seal,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      isSecret(name, value) ? seal(`${field}.${name}`, value) : value,
    ]),
  );
}

function sealArguments(args: readonly string[], seal: Seal): string[] {
  const secrets = secretsOf({ launch: stdioWith(args, {}) });
  return args.map((argument, index) => {
    if (!secrets.some((secret) => argument.includes(secret))) return argument;
    const [, flag = ""] = /^(--?[\w-]+=)/.exec(argument) ?? [];
    return `${flag}${seal(`args.${index}`, argument.slice(flag.length))}`;
  });
}

function sealQuery(url: string, seal: Seal): string {
  const start = url.indexOf("?");
  if (start === -1 || !URL.canParse(url)) return url;
  const [query = "", ...fragment] = url.slice(start + 1).split("#");
  const sealed = query.split("&").map((part) => {
    if (!carriesCredentials(remoteWith(`https://host/?${part}`, {}))) return part;
    const [[name, value] = ["", ""]] = [...new URLSearchParams(part)];
    return `${part.split("=", 1)[0]}=${seal(`url.${name}`, value)}`;
  });
  return [`${url.slice(0, start)}?${sealed.join("&")}`, ...fragment].join("#");
}

// find-secrets.ts alone decides what looks like a secret; these functions ask it about one name at a time.
function isSecretHeader(name: string): boolean {
  return carriesCredentials(remoteWith("https://host/", { [name]: "x" }));
}

/** Whether a variable is a secret by its name, or by a value such as a URL with a password in it. */
function isSecretVariable(name: string, value: string): boolean {
  return isSecretUnder(name, value) || secretsOf({ launch: stdioWith([], { [name]: value }) }).length > 0;
}

function remoteWith(url: string, headers: Readonly<Record<string, string>>): RemoteLaunch {
  return { transport: "http", url, headers, authentication: { type: "none" } };
}

function stdioWith(args: readonly string[], env: Readonly<Record<string, string>>): StdioLaunch {
  return { transport: "stdio", command: "", args, env };
}

function escapeCharacter(character: string): string {
  return `_x${character.charCodeAt(0).toString(16)}_`;
}
