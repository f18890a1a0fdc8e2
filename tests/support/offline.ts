import { spawnSync } from "node:child_process";

/** A command prefix that cuts the network, if the system permits it, so that nothing can be downloaded. */
export const OFFLINE: readonly string[] = [
  ["unshare", "-n"],
  ["unshare", "-rn"],
].find(([command = "", ...args]) => spawnSync(command, [...args, "true"]).status === 0) ?? ["env"];
