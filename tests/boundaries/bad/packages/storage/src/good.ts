// breaks nothing
import { join } from "node:path";
import { storeContract } from "@tacklebox/core/testing";
export const kept = [join, storeContract];
