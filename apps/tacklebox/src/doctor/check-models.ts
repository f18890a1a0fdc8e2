import type { Engine } from "@tacklebox/core";
import type { DoctorFinding } from "./finding.ts";

/** Reports which models were found. Sends no request to any of them, since that may cost money. */
export async function checkModels(engine: Engine): Promise<readonly DoctorFinding[]> {
  const models = await engine.models.list();
  const real = models.filter(({ vendor }) => vendor !== "demo");
  if (real.length === 0) {
    const next = "Set OPENAI_API_KEY or ANTHROPIC_API_KEY, start Ollama, or add one under 'models' in the config.";
    return [{ about: "model", verdict: "warn", text: "There is only the demo model, which only matches words.", next }];
  }
  return real.map(({ name, modelId, source, isDefault }) => ({
    about: "model",
    name,
    verdict: "ok",
    text: `${modelId} (${source})${isDefault ? ", the default" : ""}`,
    ...(isDefault && { next: `To see whether it answers: tacklebox model test ${name}` }),
  }));
}
