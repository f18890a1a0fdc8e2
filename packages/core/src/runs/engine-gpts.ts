import type { EngineEvent } from "../domain/events.ts";
import { type Answer, type Failure, failed } from "../domain/failure.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { EngineGpts } from "../engine.ts";
import type { Redactor } from "../ports/known-secrets.ts";
import type { Gpts as SavedGpts } from "../ports/store.ts";
import { redactJson } from "../secrets/redact.ts";

export interface KnownGpts {
  list(): Promise<readonly Gpt[]>;
  find(key: string): Promise<Gpt | undefined>;
  save(gpt: Gpt): Promise<Answer<Gpt>>;
  remove(key: string): Promise<Answer<boolean>>;
}

export interface KnownGptsDeps {
  readonly configured: () => readonly Gpt[];
  readonly saved: SavedGpts;
  readonly emit: (event: EngineEvent) => void;
}

/** The GPTs of the config file and those people saved. The file wins: what an operator wrote cannot be replaced. */
export function createKnownGpts({ configured, saved, emit }: KnownGptsDeps): KnownGpts {
  const isConfigured = (key: string) => configured().some((gpt) => gpt.key === key);

  async function list(): Promise<readonly Gpt[]> {
    const others = (await saved.list()).filter(({ key }) => !isConfigured(key));
    return [...configured(), ...others];
  }

  return {
    list,
    find: async (key) => (await list()).find((gpt) => gpt.key === key),
    async save(gpt) {
      if (isConfigured(gpt.key)) return inFile(gpt.key);
      await saved.save(gpt);
      emit({ type: "gpts-changed" });
      return { kind: "ok", value: gpt };
    },
    async remove(key) {
      if (isConfigured(key)) return inFile(key);
      const removed = await saved.remove(key);
      if (removed) emit({ type: "gpts-changed" });
      return { kind: "ok", value: removed };
    },
  };
}

/** The same for doors, with secrets in a GPT's instructions redacted. */
export function createEngineGpts({ list, save, remove }: KnownGpts, redact: Redactor): EngineGpts {
  return {
    list: async () => redactJson(redact, await list()),
    save: async (gpt) => redactJson(redact, await save(gpt)),
    remove,
  };
}

function inFile(key: string): { kind: "failed"; failure: Failure } {
  return failed("conflict", `GPT '${key}' is defined in the config file. Change it there`);
}
