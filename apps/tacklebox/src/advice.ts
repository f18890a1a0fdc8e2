import type { Advice } from "@tacklebox/core";

/** The advice in the engine's messages, in terms of this program's commands and folders. */
export const ADVICE: Advice = {
  trust: (server) => `tacklebox trust ${server}`,
  showTools: (server) => (server === undefined ? "tacklebox tools" : `tacklebox tools --server ${server}`),
  storeSecret: (name) => `tacklebox secret set ${name}`,
  repairCallLog: "Free space or fix permissions in the data directory, then try again",
};
