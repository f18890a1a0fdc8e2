// breaks boundaries/acp-sdk
export type Borrowed = import("@agentclientprotocol/sdk").Agent;
