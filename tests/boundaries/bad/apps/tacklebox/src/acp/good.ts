// breaks correctness/noUndeclaredDependencies
import { Agent } from "@agentclientprotocol/sdk";
export const kept = Agent;
