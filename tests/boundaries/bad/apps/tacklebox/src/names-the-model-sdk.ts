// breaks boundaries/model-sdk
export type Borrowed = import("ai").LanguageModel;
