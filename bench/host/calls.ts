import { type CallFigures, driveCalls, type Load } from "../measure/drive-calls.mjs";
import { everythingLaunch, textOf } from "../subjects/everything.mjs";
import { openGoverned, readConfig } from "./governed-engine.ts";
import { openBareCommit } from "./store.ts";

export interface CallsOptions {
  readonly load: Load;
  readonly durability: "full" | "normal";
  readonly dataRoot: string;
  /** Streamable HTTP instead of stdio. */
  readonly url?: string;
}

/** Governed calls: every step on, a secret to strike out, limits that hold as many callers as there are. */
export async function measureCalls({ load, durability, dataRoot, url }: CallsOptions): Promise<CallFigures> {
  const secret = "sk-bench-4f7e2c9a1b8d";
  const launch =
    url === undefined
      ? { ...everythingLaunch, env: { BENCH_TOKEN: secret } }
      : { transport: "streamable-http", url, headers: { "x-bench-token": secret } };
  const config = readConfig({
    calls: { durability },
    toolbox: { max_concurrent: load.callers },
    servers: { everything: { ...launch, default_tool_config: { max_instances: load.callers } } },
  });
  const { engine, close } = await openGoverned(config, dataRoot);
  const { problems } = await engine.start();
  if (problems.length > 0) throw new Error(problems.map(({ text }) => text).join("\n"));
  const call = async (message: string) => {
    const outcome = await engine.callTool({ tool: "echo", arguments: { message } });
    if (outcome.status === "error") throw new Error(outcome.failure.message);
    return textOf(outcome.result);
  };
  if (url !== undefined || durability === "normal") return driveCalls({ call, close }, load);
  const bare = openBareCommit(dataRoot);
  return driveCalls({ call, close }, load, bare.commit).finally(bare.close);
}
