import type { Engine, ServerView } from "@tacklebox/core";
import { printableLine } from "../output/printable.ts";
import type { ConversationSettings } from "./talk.ts";

/** Who answers and what they can use, in a line: said once everything is up or has failed. */
export async function describeStart(engine: Engine, talk: ConversationSettings): Promise<string> {
  const [models, gpts, views] = await Promise.all([engine.models.list(), engine.gpts.list(), engine.servers.list()]);
  const wanted = talk.model ?? gpts.find(({ key }) => key === talk.gpt)?.model;
  const model = models.find(({ name, isDefault }) => (wanted === undefined ? isDefault : name === wanted));
  const who = model === undefined ? "no model" : model.vendor === "demo" ? "demo model" : model.name;
  const servers = views.filter(({ scope, status }) => scope !== "local" && status !== "disabled");
  const gpt = talk.gpt === undefined ? [] : [`GPT ${talk.gpt}`];
  return printableLine([...gpt, who, ...servers.map(describeServer)].join(" · "));
}

function describeServer({ key, status, toolCount }: ServerView): string {
  if (status !== "connected") return `${key} is ${status === "connecting" ? "still connecting" : "down"}`;
  return `${key} ${toolCount} ${toolCount === 1 ? "tool" : "tools"}`;
}
