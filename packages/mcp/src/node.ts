export { createNodeExchange, type NodeExchange } from "./upstream/node/node-exchange.ts";
export { createStdioConnector, type StdioConnectorOptions } from "./upstream/node/stdio-connector.ts";
