// breaks nothing
import { ModelError } from "@tacklebox/core";
export const kept = [ModelError, () => import("@ai-sdk/openai")];
