import { isMap } from "../document/check-shape.ts";
import type { DialectRules } from "../entries/to-definition.ts";
import type { DialectReader } from "./dialect.ts";
import { readServerMap } from "./read-server-map.ts";
import { readToolboxKey } from "./read-toolbox-key.ts";
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
  const { toolbox: _toolbox, ...others } = root;
  warnOfOtherKeys(others, [], "tools", context.report);
  warnOfOtherKeys(tools, ["tools"], "mcp_servers", context.report);
  const servers = readServerMap(tools.mcp_servers, RULES, ["tools", "mcp_servers"], context);
  const names = isMap(tools.mcp_servers) ? Object.keys(tools.mcp_servers) : [];
  return { servers, toolbox: readToolboxKey(root, names, context).settings };
};
