import type { EngineConfig, Gpt } from "@tacklebox/core";
import type { GptJson } from "./manage-shapes.ts";

export function toGptJson(gpt: Gpt, { gpts = [] }: EngineConfig): GptJson {
  const { key, name, description, instructions, model, servers, tools, approval, trustedTools } = gpt;
  return {
    key,
    name,
    ...(description === undefined ? {} : { description }),
    instructions,
    ...(model === undefined ? {} : { model }),
    ...(servers === undefined ? {} : { servers }),
    tools,
    approval,
    trusted_tools: trustedTools,
    source: gpts.some((one) => one.key === key) ? "file" : "saved",
  };
}

export function describeUnknownGpt(key: string): string {
  return `There is no GPT '${key}'. \`tacklebox gpt list\` shows them all.`;
}
