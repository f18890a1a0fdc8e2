import type { Advice } from "@tacklebox/core";
import { quoteForShell } from "./config-file/quote-for-shell.ts";

/** The advice in the engine's messages, in terms of this program's commands and folders. */
export const ADVICE: Advice = {
  trust: (server) => `tacklebox trust ${server}`,
  showTools: (server) => (server === undefined ? "tacklebox tools" : `tacklebox tools --server ${server}`),
  enable: (server) => `tacklebox enable ${quoteForShell(server)}`,
  showServers: "tacklebox servers",
  storeSecret: (name) => `tacklebox secret set ${name}`,
  repairCallLog: "Free space or fix permissions in the data directory, then try again",
};
