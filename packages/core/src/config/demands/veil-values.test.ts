import { describe, expect, it } from "vitest";
import { veilHeader, veilVariable } from "./veil-values.ts";

describe("T04 the value of a variable that a person is asked about", () => {
  it.each([
    ["LANG", "de_DE.UTF-8", "de_DE.UTF-8"],
    ["JAVA_TOOL_OPTIONS", "-javaagent:./x.jar", "-javaagent:./x.jar"],
    ["ROOT", "${HOME}/projects", "${HOME}/projects"],
    ["API_TOKEN", "${secret:gh}", "${secret:gh}"],
    ["API_TOKEN", "${GH_TOKEN}", "${GH_TOKEN}"],
    ["DEBUG_TOKENS", "true", "true"],
    ["AUTH_PROVIDER", "github-enterprise", "github-enterprise"],
  ])("is shown: %s=%s", (name, value, shown) => {
    expect(veilVariable(name, value)).toBe(shown);
  });

  it.each([
    ["API_TOKEN", "canary-1", "…"],
    ["DB_PASS", "canary1", "…"],
    ["ANYTHING", "ghp_canary0123456789", "…"],
    ["API_TOKEN", "${GH_TOKEN:-canary}", "${GH_TOKEN}…"],
    ["API_TOKEN", "canary${A}canary${secret:b}", "${A}…${secret:b}…"],
    ["API_TOKEN", "canary$${A", "…"],
    ["DATABASE", "postgres://me:canary-2@db/shop", "postgres://me:…@db/shop"],
    ["DATABASE", "postgres://me:canary-2@db/${NAME}", "postgres://me:…@db/${NAME}"],
    ["DATABASE", "Server=${DB};Password=canary-2;Encrypt=true", "Server=${DB};Password=…;Encrypt=true"],
    ["SETTINGS", "host=db password=canary-3", "host=db password=…"],
  ])("is shown without the credential in it: %s=%s", (name, value, shown) => {
    expect(veilVariable(name, value)).toBe(shown);
  });

  it.each([
    ["NODE_OPTIONS", "--require=./a.js --password ./b.js"],
    ["LD_PRELOAD", "ghp_canary0123456789"],
    ["PATH", "./bin:${PATH}"],
    ["BASH_ENV", "https://u:p@h/x"],
    ["PYTHONPATH", "./token=x"],
    ["GIT_ASKPASS", "./ask.sh"],
    ["GIT_CONFIG_KEY_0", "core.sshCommand"],
  ])("is shown whole where it decides what code runs: %s=%s", (name, value) => {
    expect(veilVariable(name, value)).toBe(value);
  });
});

describe("T04 the value of a header that a person is asked about", () => {
  it.each([
    ["User-Agent", "Tacklebox", "Tacklebox"],
    ["X-Tenant", "acme", "acme"],
    ["X-Tenant", "canary-tenant", "…"],
    ["Authorization", "Bearer canary", "Bearer …"],
    ["Authorization", "Bearer ${TOKEN}", "Bearer ${TOKEN}"],
    ["Authorization", "Bearer ${TOKEN:-canary}", "Bearer ${TOKEN}…"],
    ["Referer", "https://u:canary@h/${X}", "https://u:…@h/${X}"],
  ])("is shown without a credential: %s: %s", (name, value, shown) => {
    expect(veilHeader(name, value)).toBe(shown);
  });
});
