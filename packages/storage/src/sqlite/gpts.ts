import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { type ApprovalMode, type Gpt, type Gpts, isJsonObject } from "@tacklebox/core";
import type { GroupWriter } from "./group-writer.ts";
import { prepareLazily } from "./prepare-lazily.ts";
import { isListOf, isOptional, isText, parseStored, toKey } from "./stored-value.ts";

const SAVE = "INSERT INTO gpts (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
const LIST = "SELECT key, value FROM gpts ORDER BY seq";
const REMOVE = "DELETE FROM gpts WHERE key = ?";

interface GptRow {
  readonly key: string;
  readonly value: string;
}

export function createGpts(database: DatabaseSyncInstance, writer: GroupWriter): Gpts {
  const save = prepareLazily(database, SAVE);
  const list = prepareLazily(database, LIST);
  const remove = prepareLazily(database, REMOVE);

  return {
    async save(gpt) {
      const value = JSON.stringify(gpt);
      await writer.write(() => void save().run(toKey(gpt.key), value));
    },
    async list() {
      const rows: readonly GptRow[] = list().all();
      return rows.map(fromRow);
    },
    async remove(key) {
      let removed = false;
      await writer.write(() => {
        removed = remove().run(toKey(key)).changes > 0;
      });
      return removed;
    },
  };
}

function fromRow({ key, value }: GptRow): Gpt {
  return parseStored(value, isGpt, () => ({ what: `The GPT "${key}"`, table: "gpts" }));
}

const APPROVAL_MODES = { auto: true, "always-ask": true, "trusted-only": true } satisfies Record<ApprovalMode, true>;
const TOOL_CHOICES = { always: true, manual: true, agent: true, off: true } satisfies Record<
  Gpt["tools"][string],
  true
>;

function isGpt(value: unknown): value is Gpt {
  return (
    isJsonObject(value) &&
    isText(value.key) &&
    isText(value.name) &&
    isOptional(value.description, isText) &&
    isText(value.instructions) &&
    isOptional(value.model, isText) &&
    (value.servers === undefined || isListOf(value.servers, isText)) &&
    isJsonObject(value.tools) &&
    Object.values(value.tools).every((choice) => isText(choice) && Object.hasOwn(TOOL_CHOICES, choice)) &&
    isText(value.approval) &&
    Object.hasOwn(APPROVAL_MODES, value.approval) &&
    isListOf(value.trustedTools, isText)
  );
}
