// breaks boundaries/mcp-protocol
import { createHttpConnector } from "../http/http-connector.ts";
export const borrowed = createHttpConnector;
