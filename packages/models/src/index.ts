export { createModels, type ModelsParts } from "./create-models.ts";
export { findModels } from "./find-models.ts";
export { findOllama } from "./find-ollama.ts";
export { formatToolsForProvider } from "./format-tools.ts";
