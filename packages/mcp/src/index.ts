export { type CustomConnectorOptions, createCustomConnector } from "./custom/custom-connector.ts";
export { createFetchExchange } from "./upstream/http/fetch-exchange.ts";
export { createHttpConnector, type HttpConnectorOptions } from "./upstream/http/http-connector.ts";
export type { HttpExchange, HttpReply, HttpReplyHeaders, HttpRequest } from "./upstream/http/http-exchange.ts";
export type { ClientInfo } from "./upstream/protocol/sdk-client.ts";
