import type { SessionConfigOption, SessionConfigSelectOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { ApprovalMode, Gpt, ModelSummary } from "@tacklebox/core";

/** The settings a person chose for a session in their editor; absent where they chose nothing. */
export interface Settings {
  readonly mode?: ApprovalMode;
  readonly model?: string;
  readonly gpt?: string;
}

/** The models and GPTs to choose from. Empty until the engine could be asked. */
export interface Choices {
  readonly models: readonly ModelSummary[];
  readonly gpts: readonly Gpt[];
}

export const NO_CHOICES: Choices = { models: [], gpts: [] };

const MODES: readonly { readonly id: ApprovalMode; readonly name: string; readonly description: string }[] = [
  { id: "always-ask", name: "Always ask", description: "Every tool call asks first, unless it was allowed before" },
  { id: "trusted-only", name: "Trusted only", description: "Tools the GPT trusts run; every other call asks first" },
  {
    id: "auto",
    name: "Auto",
    description: "Tool calls run without asking, unless the tool or its server says otherwise",
  },
];

/** The option value that leaves the choice to Tacklebox. */
const UNSET = "default";

/** The person's mode, otherwise the GPT's, otherwise `always-ask`. */
export function approvalModeOf({ mode, gpt }: Settings, { gpts }: Choices): ApprovalMode {
  return mode ?? gpts.find(({ key }) => key === gpt)?.approval ?? "always-ask";
}

export function toModes(settings: Settings, choices: Choices): SessionModeState {
  return { currentModeId: approvalModeOf(settings, choices), availableModes: [...MODES] };
}

/** All settings of a session, the approval mode included: editors that support options do not show modes as well. */
export function toConfigOptions(settings: Settings, choices: Choices): SessionConfigOption[] {
  const defaultModel = choices.models.find(({ isDefault }) => isDefault);
  return [
    {
      id: "mode",
      name: "Approval",
      description: "Who decides about tool calls",
      category: "mode",
      type: "select",
      currentValue: approvalModeOf(settings, choices),
      options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: settings.model ?? UNSET,
      options: withUnset(
        {
          name: "Default",
          ...(defaultModel !== undefined && { description: `Now ${defaultModel.name}, unless the GPT says otherwise` }),
        },
        choices.models.map(({ name, vendor, modelId }) => ({ value: name, name, description: `${vendor} ${modelId}` })),
        settings.model,
      ),
    },
    {
      id: "gpt",
      name: "GPT",
      description: "A saved assistant: instructions, model, tools and approval",
      category: "_gpt",
      type: "select",
      currentValue: settings.gpt ?? UNSET,
      options: withUnset(
        { name: "None" },
        choices.gpts.map(({ key, name, description }) => ({ value: key, name, ...(description && { description }) })),
        settings.gpt,
      ),
    },
  ];
}

/** Adds the unset value, and the chosen one if it is missing, which it is until the engine was asked. */
function withUnset(
  unset: Omit<SessionConfigSelectOption, "value">,
  options: readonly SessionConfigSelectOption[],
  chosen: string | undefined,
): SessionConfigSelectOption[] {
  const isKnown = chosen === undefined || options.some(({ value }) => value === chosen);
  return [{ value: UNSET, ...unset }, ...options, ...(isKnown ? [] : [{ value: chosen, name: chosen }])];
}

/** Returns the settings after a choice, or a message when there is no such option or value. */
export function choose(settings: Settings, option: string, value: string, choices: Choices): Settings | string {
  const known = toConfigOptions(settings, choices).find(({ id }) => id === option);
  if (known === undefined) return `There is no option '${option}'. Available: mode, model, gpt`;
  const values = known.type === "select" ? known.options.flatMap((entry) => ("value" in entry ? entry.value : [])) : [];
  // Models can also be named as `name/id`, which is never listed.
  const isOpen = option === "model" && value.includes("/");
  if (!isOpen && !values.includes(value))
    return `'${value}' cannot be chosen as ${option}. Available: ${values.join(", ")}`;
  const mode = MODES.find(({ id }) => id === value)?.id;
  if (option === "mode") return mode === undefined ? settings : { ...settings, mode };
  const { [option === "model" ? "model" : "gpt"]: _before, ...others } = settings;
  if (value === UNSET) return others;
  return option === "model" ? { ...others, model: value } : { ...others, gpt: value };
}
