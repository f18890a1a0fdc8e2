import { ConnectionError, isLaunchOf, type LaunchOf, type ServerDefinition, type Transport } from "@tacklebox/core";

/** Returns the server's launch if its transport is one of `transports`; throws ConnectionError otherwise. */
export function requireLaunch<T extends Transport>(
  { launch }: ServerDefinition,
  transports: readonly T[],
): LaunchOf<T> {
  if (isLaunchOf(launch, transports)) return launch;
  const text = `Cannot open "${launch.transport}" here; can open: ${transports.join(", ")}.`;
  throw new ConnectionError("misconfigured", text);
}
