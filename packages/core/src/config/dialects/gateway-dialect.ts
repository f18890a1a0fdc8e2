import { isMap } from "../document/check-shape.ts";
import type { DialectRules } from "../entries/to-definition.ts";
import { DEFAULT_TOOLBOX } from "../entries/to-toolbox-settings.ts";
import type { DialectReader } from "./dialect.ts";
import { readServerMap } from "./read-server-map.ts";
import { warnOfOtherKeys } from "./warn-of-other-keys.ts";

/** The transport is stdio unless another is given; an empty command or url is the same as none (S2.5). */
const RULES: DialectRules = {
  launch: {
    notation: "gateway",
    advice: "names to write",
    absent: "stdio",
    misplaced: "refuse",
    plainHttp: "warn",
  },
  required: false,
};

export const readGateway: DialectReader = (root, context) => {
  const tools = isMap(root.tools) ? root.tools : {};
  warnOfOtherKeys(root, [], "tools", context.report);
  warnOfOtherKeys(tools, ["tools"], "mcp_servers", context.report);
  const servers = readServerMap(tools.mcp_servers, RULES, ["tools", "mcp_servers"], context);
  return { servers, toolbox: DEFAULT_TOOLBOX };
};
