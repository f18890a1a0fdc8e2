import { Option } from "commander";
import { MANAGE_JSON_SHAPES } from "../output/manage-shapes.ts";
import { parseCount, type Registration, toCommon, type Values } from "./registration.ts";

/** The commands about conversations. They need no config and start no server. */
export function registerSessions({ addCommand, context, exitWith }: Registration): void {
  addCommand("list", "show the conversations, the one used last first", {
    example: "tacklebox sessions list --limit 5",
    json: MANAGE_JSON_SHAPES.sessionList,
  })
    .addOption(new Option("--limit <count>", "how many at most").argParser(parseCount).default(20))
    .action(async (options: Values) => {
      const { run } = await import("../commands/sessions-list.ts");
      exitWith(await run(await context(), { ...toCommon(options), limit: Number(options.limit) }));
    });

  addCommand("show", "show one conversation from its beginning", {
    example: "tacklebox sessions show 0199f7d2-5a8e-7c31-b0a4-3f6d2c1e9b57",
    json: MANAGE_JSON_SHAPES.sessionShow,
    more: `
To go on with it: tacklebox chat --session ID, or tacklebox run "PROMPT" --session ID`,
  })
    .argument("<id>", "the session, as `sessions list` shows it")
    .action(async (id: string, options: Values) => {
      const { run } = await import("../commands/sessions-show.ts");
      exitWith(await run(await context(), { ...toCommon(options), id }));
    });

  addCommand("remove", "remove a conversation and what was allowed in it; its calls stay in the call log", {
    example: "tacklebox sessions remove 0199f7d2-5a8e-7c31-b0a4-3f6d2c1e9b57",
    json: MANAGE_JSON_SHAPES.sessionRemove,
  })
    .argument("<id>", "the session")
    .action(async (id: string, options: Values) => {
      const { run } = await import("../commands/sessions-remove.ts");
      exitWith(await run(await context(), { ...toCommon(options), id }));
    });
}

/** The commands about remembered answers. They need no config and start no server. */
export function registerGrants({ addCommand, context, exitWith }: Registration): void {
  addCommand("list", "show every remembered answer to an approval", {
    example: "tacklebox grants list",
    json: MANAGE_JSON_SHAPES.grantList,
    more: `
A grant holds for one session or for every one, and only while the tool and the way its server is started stay as they
were when it was given.`,
  }).action(async (options: Values) => {
    const { run } = await import("../commands/grants-list.ts");
    exitWith(await run(await context(), toCommon(options)));
  });

  addCommand("revoke", "forget a remembered answer, so that its tool is asked about again", {
    example: "tacklebox grants revoke 0199f7d2-5a8e-7c31-b0a4-3f6d2c1e9b57",
    json: MANAGE_JSON_SHAPES.grantRevoke,
  })
    .argument("<id>", "the grant, as `grants list` shows it")
    .action(async (id: string, options: Values) => {
      const { run } = await import("../commands/grants-revoke.ts");
      exitWith(await run(await context(), { ...toCommon(options), id }));
    });
}
