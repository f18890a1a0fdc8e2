import { claude } from "./claude.ts";
import { cursor } from "./cursor.ts";
import type { Importer } from "./importer.ts";
import { vscode } from "./vscode.ts";
import { zed } from "./zed.ts";

/** Every program `tacklebox import` knows by name. */
export const IMPORTERS: readonly Importer[] = [claude, cursor, vscode, zed];
