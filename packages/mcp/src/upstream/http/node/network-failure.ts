import { ConnectionError } from "@tacklebox/core";
import { isOutOfFiles, OUT_OF_FILES } from "../../node/out-of-files.ts";
import { addressOf } from "../http-exchange.ts";

const CHECK_ADDRESS = "check the address and the network";
const UNTRUSTED =
  "its certificate is not signed by an authority this machine trusts; name that authority's file in NODE_EXTRA_CA_CERTS";

/** Node and OpenSSL error codes that do not point to the address or the network. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed; name its file in NODE_EXTRA_CA_CERTS if you trust it",
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: "its certificate has expired; the server's operator must renew it",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; check this machine's date",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name; check the address",
  EPROTO: "it does not speak TLS as expected; check whether the address should start with http:",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS; check whether the address should start with http:",
};

/** The error for a request that never left this machine. */
export function toUnreachable(error: unknown, url: string): ConnectionError {
  const code = codeOf(error);
  const isOurs = isOutOfFiles(code);
  const why = isOurs ? OUT_OF_FILES : ((code === undefined ? undefined : EXPLANATIONS[code]) ?? CHECK_ADDRESS);
  return new ConnectionError("unreachable", `Cannot reach ${addressOf(url)}${inBrackets(code)}; ${why}.`, {
    cause: error,
    isOurs,
  });
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
