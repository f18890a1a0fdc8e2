// breaks boundaries/mcp-sdk
export type Borrowed = import("@modelcontextprotocol/client").Client;
