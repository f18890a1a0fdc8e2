import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("F20: nothing of a secret that was removed or replaced stays in the database, its free pages or its WAL", async () => {
  const data = join(await temporaryFolder(), "data");
  const env = { TACKLEBOX_DATA: data, TACKLEBOX_VAULT_KEY: randomBytes(32).toString("base64") };
  const run = (...args: readonly string[]) =>
    runProgram(args, { env, stdin: `${randomBytes(3_000).toString("hex")}\n` });
  const sealedOf = (name: string): string => {
    const database = new DatabaseSync(join(data, "tacklebox.db"));
    const row: { readonly ciphertext: string } = database
      .prepare("SELECT ciphertext FROM secrets WHERE name = ?")
      .get(name);
    database.close();
    return row.ciphertext;
  };
  const places = (sealed: string) =>
    readdirSync(data).filter((name) => readFileSync(join(data, name)).includes(sealed.slice(-200)));

  expect(await run("secret", "set", "stays")).toMatchObject({ code: 0 });
  expect(await run("secret", "set", "goes")).toMatchObject({ code: 0 });
  const [stays, goes] = [sealedOf("stays"), sealedOf("goes")];
  expect(places(goes)).toEqual(["tacklebox.db"]);
  expect(await run("secret", "set", "goes")).toMatchObject({ code: 0 });
  expect(places(goes)).toEqual([]);
  const replaced = sealedOf("goes");
  expect(await run("secret", "remove", "goes")).toMatchObject({ code: 0 });
  expect(places(replaced)).toEqual([]);
  expect(places(stays)).toEqual(["tacklebox.db"]);
});
