import { InvalidArgumentError } from "commander";
import { parsed } from "../command-line/parameters.ts";

/** The option of every command that goes on working. `when` is put before its summary. */
export function metricsPort(when = "") {
  return parsed("--metrics <port>", `${when}serve Prometheus metrics on 127.0.0.1; 0 for any free port`, parsePort);
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
  return port;
}
