export * from "./scripted-replies.ts";
export * from "./vendor-server.ts";
