export { createNodeExchange, type NodeExchange } from "./upstream/http/node/node-exchange.ts";
export { createStdioConnector, type StdioConnectorOptions } from "./upstream/stdio/stdio-connector.ts";
