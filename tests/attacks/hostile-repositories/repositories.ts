import { ODD_CONTENTS } from "./odd-contents.ts";
import { ODD_PLACES } from "./odd-places.ts";
import type { Repository } from "./repository.ts";

export const REPOSITORIES: readonly Repository[] = [...ODD_CONTENTS, ...ODD_PLACES];
