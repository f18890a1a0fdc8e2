// breaks nothing
import { client } from "@agentclientprotocol/sdk";
export const kept = client;
