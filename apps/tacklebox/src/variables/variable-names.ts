import type { CommandEnvironment } from "../io.ts";

type Variables = CommandEnvironment["env"];

/**
 * The variables as the system understands their names. On Windows `Path` and `PATH` are one variable: there every
 * spelling finds it, and names are listed in capitals.
 */
export function readVariables(env: Variables, platform: NodeJS.Platform): Variables {
  if (platform !== "win32") return env;
  const inCapitals = Object.fromEntries(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]));
  return new Proxy(inCapitals, {
    get: (target, name) => Reflect.get(target, inCapitalLetters(name)),
    has: (target, name) => Reflect.has(target, inCapitalLetters(name)),
    getOwnPropertyDescriptor: (target, name) => Reflect.getOwnPropertyDescriptor(target, inCapitalLetters(name)),
  });
}

function inCapitalLetters(name: string | symbol): string | symbol {
  return typeof name === "string" ? name.toUpperCase() : name;
}
