import { blankComments } from "@tacklebox/core";
import { readYamlTree, readYamlValue } from "./edit-read-yaml.ts";
import type { TextNode } from "./edit-tree.ts";

// JSON is parsed as YAML in flow style, as configs are. Comments become spaces, so every offset stays the same.

export function readJsonTree(text: string): TextNode | undefined {
  return readYamlTree(blankComments(text));
}

export function readJsonValue(text: string): unknown {
  return readYamlValue(blankComments(text));
}
