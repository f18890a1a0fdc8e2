export { MCPClientError, type MCPClientErrorCode } from "./client-error.ts";
export {
  createMCPClientService,
  type IMCPClientService,
  type MCPClientServiceDeps,
} from "./client-service.ts";
export * from "./schemas.ts";
