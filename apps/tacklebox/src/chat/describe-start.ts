import type { Engine, ServerView } from "@tacklebox/core";
import { printableLine } from "../output/printable.ts";
import type { ConversationSettings } from "./conversation-settings.ts";

/** One line about the model and its servers, shown once the servers are up or were waited for long enough. */
export async function describeStart(engine: Engine, settings: ConversationSettings): Promise<string> {
  const [models, gpts, views] = await Promise.all([engine.models.list(), engine.gpts.list(), engine.servers.list()]);
  const wanted = settings.model ?? gpts.find(({ key }) => key === settings.gpt)?.model;
  const model = models.find(({ name, isDefault }) => (wanted === undefined ? isDefault : name === wanted));
  const modelName = model === undefined ? "no model" : model.vendor === "demo" ? "demo model" : model.name;
  const servers = views.filter(({ scope, status }) => scope !== "local" && status !== "disabled");
  const gpt = settings.gpt === undefined ? [] : [`GPT ${settings.gpt}`];
  return printableLine([...gpt, modelName, ...servers.map(describeServer)].join(" · "));
}

function describeServer({ key, status, toolCount }: ServerView): string {
  if (status !== "connected") return `${key} is ${status === "connecting" ? "still connecting" : "down"}`;
  return `${key} ${toolCount} ${toolCount === 1 ? "tool" : "tools"}`;
}
