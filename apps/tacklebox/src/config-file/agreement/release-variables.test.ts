import { describe, expect, it } from "vitest";
import { releaseVariables } from "./release-variables.ts";

const env = {
  Path: "p",
  TOKEN: "t",
  OTHER: "o",
  Tacklebox__servers__a__url: "u",
  APP_MYAI__x: "m",
  tacklebox_vault_key: "k",
};

describe("the variables that an agreed config is given", () => {
  it("are those it named, in its own spelling", () => {
    expect(releaseVariables({ env, platform: "linux" }, ["TOKEN", "PATH", "UNSET", "APP_MYAI__x"])).toEqual({
      env: { TOKEN: "t" },
      ignored: ["APP_MYAI__x"],
    });
  });

  it("are found in every spelling on Windows, but no override and no key of the vault is", () => {
    const shown = ["token", "PATH", "tacklebox__SERVERS__a__url", "app_myai__X", "TACKLEBOX_vault_KEY", "toString"];
    expect(releaseVariables({ env, platform: "win32" }, shown)).toEqual({
      env: { token: "t", PATH: "p" },
      ignored: ["TACKLEBOX__SERVERS__A__URL", "APP_MYAI__X"],
    });
  });
});
