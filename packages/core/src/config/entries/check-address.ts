import { type Path, pathText } from "../document/path.ts";
import type { Report } from "../document/report.ts";

export interface WrittenAddress {
  readonly url: string;
  /** What is reached there, for messages: `MCP server 'github'`. */
  readonly owner: string;
  readonly example: string;
  /** The fields where a user name and password belong instead. */
  readonly credentialFields: string;
  readonly carriesCredentials: boolean;
  /** How plain http to another machine is treated. With `warn` and `ask`, messages name the key that allows it. */
  readonly plainHttp: "allow" | "warn" | "ask" | "refuse";
}

/** Whether requests may go to an address. If not, the report says why (possibly from an earlier step). */
export function isUsableAddress(address: WrittenAddress, path: Path, report: Report): boolean {
  const { url, plainHttp, carriesCredentials } = address;
  if (report.isBroken(path)) return false;
  const fault = addressFault(address);
  if (fault !== undefined) {
    report.problem(path, `The ${pathText(path.slice(-1))} of ${address.owner} ${fault}`);
    return false;
  }
  const owner = address.owner.slice(0, 1).toUpperCase() + address.owner.slice(1);
  if (plainHttp === "allow" || !isPlainRemote(url)) return true;
  const orAllow = plainHttp === "refuse" ? "" : ", or set allow_insecure_http: true if the network is trusted";
  if (carriesCredentials) {
    const text = `${owner} would receive credentials over plain http, where others can read them; use https${orAllow}`;
    report.problem(path, text);
    return false;
  }
  if (plainHttp === "warn") {
    const text = `${owner} is reached over plain http, where others can read and change what is sent; use https if it can`;
    report.warn(path, text, "value");
    return true;
  }
  report.problem(path, `${owner} must be reached over https; plain http is for this machine only${orAllow}`);
  return false;
}

/** Says why the URL cannot be used, without quoting it, as it may hold a secret. */
function addressFault({ url: text, example, credentialFields }: WrittenAddress): string | undefined {
  // The parser drops line breaks and spaces, so the checked URL would differ from the written one.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return `must be a full address such as ${example}`;
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return "must start with http:// or https://";
  if (url.username !== "" || url.password !== "")
    return `must not contain a user name or password; use ${credentialFields}`;
  return undefined;
}

function isPlainRemote(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === "http:" && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
