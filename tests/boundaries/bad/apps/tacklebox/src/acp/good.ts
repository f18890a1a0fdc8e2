// breaks nothing
import { Agent } from "@agentclientprotocol/sdk";
export const kept = Agent;
