// breaks nothing
import type { Engine } from "../engine.ts";
import { servers } from "../servers/servers.ts";
import { decide } from "./steps/decide.ts";
export const kept = [servers, decide];
export type Kept = Engine;
