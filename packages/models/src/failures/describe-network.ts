const UNTRUSTED =
  "its certificate is not signed by an authority this machine trusts; name that authority's file in NODE_EXTRA_CA_CERTS";
const CLOSED = "the connection was closed";
const LATE = "connecting took too long";

const EXPLANATIONS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing is listening there"],
  ["ENOTFOUND", "the host was not found; check its name"],
  ["EAI_AGAIN", "the host name could not be looked up"],
  ["ECONNRESET", CLOSED],
  ["EPIPE", CLOSED],
  ["UND_ERR_SOCKET", CLOSED],
  ["ETIMEDOUT", LATE],
  ["UND_ERR_CONNECT_TIMEOUT", LATE],
  ["EHOSTUNREACH", "the network has no route to it"],
  ["ENETUNREACH", "the network has no route to it"],
  [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "its certificate is self-signed; name its file in NODE_EXTRA_CA_CERTS if you trust it",
  ],
  ["SELF_SIGNED_CERT_IN_CHAIN", UNTRUSTED],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", UNTRUSTED],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", UNTRUSTED],
  ["CERT_HAS_EXPIRED", "its certificate has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "its certificate is for another name"],
  ["EPROTO", "it does not speak TLS; check whether the address should start with http:"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "it does not speak TLS; check whether the address should start with http:"],
]);

/** Explains a system error code, and names it for readers who want to look it up. */
export function describeNetwork(code: string): string {
  const meaning = EXPLANATIONS.get(code);
  return meaning === undefined ? code : `${meaning} (${code})`;
}
