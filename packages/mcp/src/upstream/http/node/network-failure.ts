import { ConnectionError } from "@tacklebox/core";
import { isOutOfFiles, OUT_OF_FILES } from "../../node/out-of-files.ts";
import { addressOf } from "../http-exchange.ts";

const CHECK_ADDRESS = "Check the address and the network";
const NO_TLS = "it does not speak TLS. For plain HTTP write http: instead of https:, or check the port";
const NO_ROUTE = "this network has no way to it. Check the network, a VPN and the address";
const UNTRUSTED =
  "its certificate is not signed by an authority this machine trusts. If you trust that authority, name its file in NODE_EXTRA_CA_CERTS";

/** What Node and OpenSSL error codes mean, and what to do. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed. If you trust it, name its file in NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: "its certificate has expired. Whoever runs the server must renew it",
  CERT_NOT_YET_VALID: "its certificate is not valid yet. Check this machine's date",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name. Check the address",
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ECONNREFUSED: "nothing is listening there. Check that the server is running, and the port",
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ETIMEDOUT: "it did not take the connection. Check the address, and whether a firewall is in the way",
};

/** The error for a request that never left this machine. */
export function toUnreachable(error: unknown, url: string): ConnectionError {
  const code = codeOf(error);
  const isOurs = isOutOfFiles(code);
  const why = isOurs ? OUT_OF_FILES : explain(code);
  return new ConnectionError("unreachable", `Cannot reach ${addressOf(url)}${inBrackets(code)}: ${why}.`, {
    cause: error,
    isOurs,
  });
}

function explain(code: string | undefined): string {
  if (code === "ENOTFOUND") return "there is no host of that name. Check its spelling and the network";
  if (code === "EAI_AGAIN") return "the host name could not be looked up. Check the network";
  return (code === undefined ? undefined : EXPLANATIONS[code]) ?? CHECK_ADDRESS;
}

/** The error for a request that was sent, at least in part, and will not be answered. */
export function toInterrupted(error: unknown, url: string): ConnectionError {
  const text = `The connection to ${addressOf(url)} broke${inBrackets(codeOf(error))}.`;
  return new ConnectionError("interrupted", text, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function inBrackets(code: string | undefined): string {
  return code === undefined ? "" : ` (${code})`;
}
