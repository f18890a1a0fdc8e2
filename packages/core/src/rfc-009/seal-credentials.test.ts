import { describe, expect, it } from "vitest";
import { SECRET_NAME } from "../ports/vault.ts";
import { type MCPServerConfig, MCPServerConfigSchema } from "./schemas.ts";
import { ownSecretNames, sealCredentials } from "./seal-credentials.ts";

const ID = "7d444840-9dc0-41d1-b245-5ffdce74fad2";
const AT = "2026-01-31T12:00:00Z";

function config(change: object): MCPServerConfig {
  const remote = { transport: "http", url: "https://example.com/mcp" };
  return MCPServerConfigSchema.parse({ id: ID, name: "n", ...remote, createdAt: AT, updatedAt: AT, ...change });
}

describe("S1.47 D.21 credentials are replaced by references", () => {
  it.each([
    [{ type: "bearer", token: "t" }, { type: "bearer", token: `\${secret:mcp:${ID}:token}` }, "t"],
    [
      { type: "api-key", key: "k", header: "X-K" },
      { type: "api-key", key: `\${secret:mcp:${ID}:key}`, header: "X-K" },
      "k",
    ],
    [
      { type: "basic", username: "u", password: "p" },
      { type: "basic", username: "u", password: `\${secret:mcp:${ID}:password}` },
      "p",
    ],
    [
      { type: "basic", username: "key", password: "" },
      { type: "basic", username: `\${secret:mcp:${ID}:username}`, password: "" },
      "key",
    ],
  ])("in authentication %j", (authentication, expected, value) => {
    const sealed = sealCredentials(config({ authentication }));
    expect(sealed.config.authentication).toEqual(expected);
    expect(sealed.credentials.map((credential) => credential.value)).toEqual([value]);
  });

  it("in headers, whatever they are called, except those that never carry one", () => {
    const sealed = sealCredentials(config({ headers: { "X-Team!": "a", Accept: "b" } }));
    expect(sealed.config.headers).toEqual({ "X-Team!": `\${secret:mcp:${ID}:headers.X-Team_x21_}`, Accept: "b" });
    expect(sealed.credentials).toEqual([{ name: `mcp:${ID}:headers.X-Team_x21_`, value: "a" }]);
  });

  it("in environment variables and arguments that look like one", () => {
    const args = ["--token", "first-secret", "--key=second-secret", "--verbose"];
    const env = { API_TOKEN: "t", HOME: "/h", DATABASE: "postgres://u:password@host/db" };
    const sealed = sealCredentials(config({ transport: "stdio", url: undefined, command: "c", args, env }));
    expect(sealed.config).toMatchObject({
      args: ["--token", `\${secret:mcp:${ID}:args.1}`, `--key=\${secret:mcp:${ID}:args.2}`, "--verbose"],
      env: {
        API_TOKEN: `\${secret:mcp:${ID}:env.API_TOKEN}`,
        HOME: "/h",
        DATABASE: `\${secret:mcp:${ID}:env.DATABASE}`,
      },
    });
    expect(sealed.credentials.every(({ name }) => SECRET_NAME.test(name))).toBe(true);
  });

  it("F8 in arguments that hold one in a longer text", () => {
    const args = [
      "--header",
      "X-Key: third-secret",
      "Server=db;Password=fourth-secret",
      "--dsn=postgres://u:fifth-secret@h/db",
    ];
    const sealed = sealCredentials(config({ transport: "stdio", url: undefined, command: "c", args }));
    const reference = (index: number) => `\${secret:mcp:${ID}:args.${index}}`;
    expect(sealed.config.args).toEqual(["--header", reference(1), reference(2), `--dsn=${reference(3)}`]);
    expect(sealed.credentials.map(({ value }) => value)).toEqual([args[1], args[2], "postgres://u:fifth-secret@h/db"]);
  });

  it("in the query of an address", () => {
    const sealed = sealCredentials(config({ url: "https://example.com/mcp?team=1&api_key=a%20b#top" }));
    expect(sealed.config.url).toBe(`https://example.com/mcp?team=1&api_key=\${secret:mcp:${ID}:url.api_key}#top`);
    expect(sealed.credentials).toEqual([{ name: `mcp:${ID}:url.api_key`, value: "a b" }]);
  });

  it("only once: a record that is sealed already stays as it is", () => {
    const { config: once } = sealCredentials(config({ authentication: { type: "bearer", token: "t" } }));
    expect(sealCredentials(once)).toEqual({ config: once, credentials: [] });
    expect(ownSecretNames(ID, once)).toEqual([`mcp:${ID}:token`]);
  });

  it("but not where a person wrote a reference, which does not count as the server's own secret either", () => {
    const named = config({ headers: { Authorization: "Bearer ${secret:CRM}" } });
    expect(sealCredentials(named)).toEqual({ config: named, credentials: [] });
    expect(ownSecretNames(ID, named)).toEqual([]);
  });
});
