import { DOCTOR_JSON_SHAPE } from "../output/doctor-report.ts";
import { type Registration, toCommon, type Values } from "./registration.ts";

export function registerDoctor({ addCommand, context, exitWith }: Registration): void {
  addCommand("doctor", "look at everything that is needed: what is wrong, and what to do about it", {
    example: "tacklebox doctor",
    json: DOCTOR_JSON_SHAPE,
    more: `
Looks at Node.js, the config, the data folder, the vault, each server (which is started) and the models (none is asked;
\`tacklebox model test\` does that). Exit codes: 0 nothing is wrong, warnings aside, 1 something is.`,
  }).action(async (options: Values) => {
    const { run } = await import("../commands/doctor.ts");
    exitWith(await run(await context(), toCommon(options)));
  });
}
