import type { SessionConfigOption, SessionConfigSelectOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { ApprovalMode, Gpt, ModelSummary } from "@tacklebox/core";

/** What a person set for a session in their editor; absent is what they left alone. */
export interface Settings {
  readonly mode?: ApprovalMode;
  readonly model?: string;
  readonly gpt?: string;
}

/** What there is to choose from. Empty until the engine could be asked. */
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

/** The value that leaves the choice to Tacklebox. */
const UNSET = "default";

/** Who decides about calls: what the person chose, else the GPT's, else they are asked (D.9). */
export function approvalModeOf({ mode, gpt }: Settings, { gpts }: Choices): ApprovalMode {
  return mode ?? gpts.find(({ key }) => key === gpt)?.approval ?? "always-ask";
}

export function toModes(settings: Settings, choices: Choices): SessionModeState {
  return { currentModeId: approvalModeOf(settings, choices), availableModes: [...MODES] };
}

/** All settings of a session. The approval mode is among them: editors that know options show no modes beside them. */
export function toConfigOptions(settings: Settings, choices: Choices): SessionConfigOption[] {
  const usual = choices.models.find(({ isDefault }) => isDefault);
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
          ...(usual !== undefined && { description: `Now ${usual.name}, unless the GPT says otherwise` }),
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

/** What is chosen is always among the options, even before the engine said which there are. */
function withUnset(
  unset: Omit<SessionConfigSelectOption, "value">,
  options: readonly SessionConfigSelectOption[],
  chosen: string | undefined,
): SessionConfigSelectOption[] {
  const isKnown = chosen === undefined || options.some(({ value }) => value === chosen);
  return [{ value: UNSET, ...unset }, ...options, ...(isKnown ? [] : [{ value: chosen, name: chosen }])];
}

/** The settings after a choice; a text for people when there is no such thing to choose. */
export function choose(settings: Settings, option: string, value: string, choices: Choices): Settings | string {
  const known = toConfigOptions(settings, choices).find(({ id }) => id === option);
  if (known === undefined) return `There is no option '${option}'. There are: mode, model, gpt`;
  const values = known.type === "select" ? known.options.flatMap((entry) => ("value" in entry ? entry.value : [])) : [];
  // Models can also be named as `name/id`, which no list holds.
  const isOpen = option === "model" && value.includes("/");
  if (!isOpen && !values.includes(value))
    return `'${value}' cannot be chosen as ${option}. There are: ${values.join(", ")}`;
  const mode = MODES.find(({ id }) => id === value)?.id;
  if (option === "mode") return mode === undefined ? settings : { ...settings, mode };
  const { [option === "model" ? "model" : "gpt"]: _before, ...others } = settings;
  if (value === UNSET) return others;
  return option === "model" ? { ...others, model: value } : { ...others, gpt: value };
}
