// breaks style/noRestrictedImports
import { Agent } from "@agentclientprotocol/sdk";
export const borrowed = Agent;
