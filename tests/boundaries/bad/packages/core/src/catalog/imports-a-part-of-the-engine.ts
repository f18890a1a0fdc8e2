// breaks style/noRestrictedImports
import { startServers } from "../engine/start-servers.ts";
export const borrowed = startServers;
