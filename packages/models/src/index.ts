export { createModels, type ModelsDeps } from "./create-models.ts";
export { findLocalModels, findModels } from "./find/find-models.ts";
export { formatToolsForProvider } from "./vendors/format-tools.ts";
