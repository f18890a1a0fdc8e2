export { type CustomConnectorOptions, createCustomConnector } from "./custom/custom-connector.ts";
export { createFetchExchange } from "./upstream/fetch-exchange.ts";
export { createHttpConnector, type HttpConnectorOptions } from "./upstream/http-connector.ts";
export type { HttpExchange, HttpReply, HttpReplyHeaders, HttpRequest } from "./upstream/http-exchange.ts";
export type { ClientInfo } from "./upstream/sdk-client.ts";
