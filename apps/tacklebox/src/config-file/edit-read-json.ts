import { blankComments } from "@tacklebox/core";
import { readYamlTree, readYamlValue } from "./edit-read-yaml.ts";
import type { TextNode } from "./edit-tree.ts";

// JSON is read the way the config is: as YAML in flow style, whose comments are spaces. Every place stays the same.

export function readJsonTree(text: string): TextNode | undefined {
  return readYamlTree(blankComments(text));
}

export function readJsonValue(text: string): unknown {
  return readYamlValue(blankComments(text));
}
