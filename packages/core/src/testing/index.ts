export * from "./contract.ts";
export * from "./memory-store.ts";
export * from "./store-contract.ts";
