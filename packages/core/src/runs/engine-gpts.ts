import type { EngineEvent } from "../domain/events.ts";
import { type Answer, type Failure, failed } from "../domain/failure.ts";
import type { Gpt } from "../domain/gpt.ts";
import type { Gpts as SavedGpts } from "../ports/store.ts";

export interface KnownGpts {
  list(): Promise<readonly Gpt[]>;
  find(key: string): Promise<Gpt | undefined>;
  save(gpt: Gpt): Promise<Answer<Gpt>>;
  remove(key: string): Promise<Answer<boolean>>;
}

export interface EngineGptsDeps {
  readonly configured: () => readonly Gpt[];
  readonly saved: SavedGpts;
  readonly emit: (event: EngineEvent) => void;
}

/** Assistants of the config file and those people saved. The file wins: what an operator wrote cannot be replaced. */
export function createEngineGpts({ configured, saved, emit }: EngineGptsDeps): KnownGpts {
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

function inFile(key: string): { kind: "failed"; failure: Failure } {
  return failed("conflict", `GPT '${key}' is written in the config file. Change it there`);
}
