import type { Gpt } from "../../domain/gpt.ts";
import { assertEqual } from "./contract.ts";
import { ODD_TEXT, type StoreCases } from "./store-contract-case.ts";

export const GPT: Gpt = {
  key: "helper",
  name: ODD_TEXT,
  description: "Helps",
  instructions: ODD_TEXT.repeat(1_000),
  model: "openai/some-model",
  servers: ["files", "customers"],
  tools: { "files:read_file": "always", "files:find": "agent", "customers:get": "manual", "files:delete_file": "off" },
  approval: "trusted-only",
  trustedTools: ["files:read_file", ODD_TEXT],
};

const BARE: Gpt = { key: ODD_TEXT, name: "", instructions: "", tools: {}, approval: "auto", trustedTools: [] };

export const gptCases: StoreCases = {
  "S1.33 returns every field of a GPT as it was saved": async ({ store }) => {
    assertEqual(await store.gpts.list(), [], "the GPTs of an empty store");
    const asking: Gpt = { ...BARE, key: "asks", servers: [], approval: "always-ask" };
    for (const gpt of [GPT, BARE, asking]) await store.gpts.save(gpt);
    assertEqual(await store.gpts.list(), [GPT, BARE, asking], "the GPTs");
  },

  "replaces a GPT as a whole by its key, in its place": async ({ store }) => {
    const other = { ...GPT, key: "other" };
    const replaced = { ...BARE, key: GPT.key };
    for (const gpt of [GPT, other, replaced]) await store.gpts.save(gpt);
    assertEqual(await store.gpts.list(), [replaced, other], "the GPTs");
  },

  "removes a GPT by its key, once": async ({ store }) => {
    for (const gpt of [GPT, BARE]) await store.gpts.save(gpt);
    assertEqual(await store.gpts.remove(GPT.key), true, "the first time");
    assertEqual(await store.gpts.remove(GPT.key), false, "the second time");
    assertEqual(await store.gpts.list(), [BARE], "what is left");
  },

  "keeps and returns copies of GPTs": async ({ store }) => {
    const trustedTools = ["files:read_file"];
    const saving = store.gpts.save({ ...GPT, trustedTools });
    trustedTools.push("files:delete_file");
    await saving;
    for (const time of ["first", "second"]) {
      const [read] = await store.gpts.list();
      assertEqual(read?.trustedTools, ["files:read_file"], `the trusted tools, read the ${time} time`);
      Object.assign(read?.trustedTools ?? [], ["files:delete_file"]);
    }
  },
};
