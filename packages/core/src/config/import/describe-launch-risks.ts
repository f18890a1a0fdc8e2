import { factsOf, type Launch } from "../../domain/launch.ts";
import { printable } from "../document/path.ts";
import { loadsCode } from "../entries/loading-variables.ts";

/** Describes risks of a launch that a person should know before enabling it and that are easy to miss. */
export function describeLaunchRisks(server: string, launch: Launch): string[] {
  const program = factsOf(launch).program?.(launch);
  if (program === undefined) return [];
  const { command, args, env } = program;
  const risky = Object.keys(env).filter(loadsCode);
  return [
    ...describeUnpinned(server, [command, ...args]),
    ...risky.map(
      (name) =>
        `MCP server '${printable(server)}' sets ${printable(name)}, which can make programs run code that its command does not show`,
    ),
  ];
}

interface Runner {
  readonly options: ReadonlySet<string>;
  /** Options whose value is the package. */
  readonly packages: ReadonlySet<string>;
  readonly isPinned: (name: string) => boolean;
  readonly example: (name: string) => string;
}

const NODE_RUNNER: Runner = {
  options: new Set(["-c", "--call", "-w", "--workspace", "--registry", "--cache", "--prefix", "--userconfig"]),
  packages: new Set(["-p", "--package"]),
  isPinned: (name) => /^(@[^/]+\/)?[^@/]+@v?\d/.test(name),
  example: (name) => `${name.replace(/(.)@[^@/]*$/, "$1")}@1.2.3`,
};

const PYTHON_RUNNER: Runner = {
  options: new Set(["-p", "--python", "--with", "--index", "--index-url", "--default-index", "--directory", "-w"]),
  packages: new Set(["--from", "--spec"]),
  isPinned: (name) => /(===?|@)v?\d/.test(name) || /^git\+.*@[^/@]+$/.test(name),
  example: (name) => `${name.replace(/@latest$/, "")}==1.2.3`,
};

const RUNNERS: readonly { readonly words: readonly string[]; readonly runner: Runner }[] = [
  { words: ["npx"], runner: NODE_RUNNER },
  { words: ["bunx"], runner: NODE_RUNNER },
  { words: ["pnpx"], runner: NODE_RUNNER },
  { words: ["pnpm", "dlx"], runner: NODE_RUNNER },
  { words: ["yarn", "dlx"], runner: NODE_RUNNER },
  { words: ["uvx"], runner: PYTHON_RUNNER },
  { words: ["uv", "tool", "run"], runner: PYTHON_RUNNER },
  { words: ["pipx", "run"], runner: PYTHON_RUNNER },
];

/** Warns about programs that fetch a package and run it: without a version, they run different code tomorrow. */
function describeUnpinned(server: string, argv: readonly string[]): string[] {
  const words = withoutShell(argv);
  const found = RUNNERS.find((candidate) => candidate.words.every((word, index) => programName(words[index]) === word));
  if (found === undefined) return [];
  const { runner } = found;
  const name = packageOf(words.slice(found.words.length), runner);
  // A package on this machine is not fetched.
  if (name === undefined || name.includes("${") || /^([./~]|file:|[A-Za-z]:\\)/.test(name) || runner.isPinned(name))
    return [];
  return [
    `MCP server '${printable(server)}' runs whatever version of ${printable(name)} is newest when it starts; name one, such as ${printable(runner.example(name))}`,
  ];
}

// On Windows, npx is started with `cmd /c`.
function withoutShell(argv: readonly string[]): readonly string[] {
  return programName(argv[0]) === "cmd" && argv[1]?.toLowerCase() === "/c" ? argv.slice(2) : argv;
}

function programName(path: string | undefined): string | undefined {
  return path
    ?.split(/[\\/]/)
    .at(-1)
    ?.toLowerCase()
    .replace(/\.(exe|cmd|bat|ps1)$/, "");
}

function packageOf(args: readonly string[], { options, packages }: Runner): string | undefined {
  let isValue = false;
  for (const argument of args) {
    const [option = "", value] = argument.split(/=(.*)/s);
    if (isValue) isValue = false;
    else if (packages.has(option)) return value ?? args[args.indexOf(argument) + 1];
    else if (options.has(option)) isValue = value === undefined;
    else if (!argument.startsWith("-")) return argument;
  }
  return undefined;
}
