import { describe, expect, it } from "vitest";
import type { RemoteLaunch, StdioLaunch } from "../domain/launch.ts";
import { fillSecretNames, secretNamesIn } from "./secret-reference.ts";

const program: StdioLaunch = {
  transport: "stdio",
  command: "${secret:command}",
  args: ["--token=${secret:arg}", "plain", "${secret:arg}"],
  env: { TOKEN: "${secret:env}", "${secret:key}": "plain" },
  cwd: "/${secret:cwd}",
};

const remote: RemoteLaunch = {
  transport: "http",
  url: "https://example.com/${secret:path}/mcp?key=${secret:query}",
  headers: { Authorization: "Bearer ${secret:header}" },
  authentication: { type: "basic", username: "${secret:user}", password: "${secret:password}" },
};

describe("references to secrets", () => {
  it("are found in a program's args and env, each name once, and nowhere else", () => {
    expect(secretNamesIn(program)).toEqual(["arg", "env"]);
  });

  it("are found in a remote server's url, headers and authentication", () => {
    expect(secretNamesIn(remote)).toEqual(["path", "query", "header", "user", "password"]);
  });

  it("are not found where there are none", () => {
    expect(secretNamesIn({ transport: "local" })).toEqual([]);
    expect(secretNamesIn({ ...program, args: ["$secret:x", "${secret", "{secret:x}"], env: {} })).toEqual([]);
  });

  it("T07 are filled in as they are, but encoded in a url", () => {
    const values = new Map(secretNamesIn(remote).map((name) => [name, `${name} /?#&=@:%`]));
    expect(fillSecretNames(remote, values)).toEqual({
      transport: "http",
      url: "https://example.com/path%20%2F%3F%23%26%3D%40%3A%25/mcp?key=query%20%2F%3F%23%26%3D%40%3A%25",
      headers: { Authorization: "Bearer header /?#&=@:%" },
      authentication: { type: "basic", username: "user /?#&=@:%", password: "password /?#&=@:%" },
    });
  });

  it("are filled in once: a value that looks like a reference stays a value", () => {
    const values = new Map([
      ["arg", "${secret:env}$&$1"],
      ["env", "e"],
    ]);
    expect(fillSecretNames(program, values)).toEqual({
      ...program,
      args: ["--token=${secret:env}$&$1", "plain", "${secret:env}$&$1"],
      env: { TOKEN: "e", "${secret:key}": "plain" },
    });
  });

  it("stay where no value is known, and the launch itself never changes", () => {
    const before = structuredClone(remote);
    expect(fillSecretNames(remote, new Map())).toEqual(remote);
    expect(remote).toEqual(before);
  });
});
