export * from "./speak.ts";
export * from "./vendor-server.ts";
