/** Error codes of JSON-RPC, and those that ACP adds. */
const CODES = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  cancelled: -32_800,
  "not-found": -32_002,
} as const;

/** Why a request fails, as the client is told. The message is for people: no secret, no stack. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly detail: object | undefined;

  constructor(kind: keyof typeof CODES, message: string, detail?: object) {
    super(message);
    this.code = CODES[kind];
    this.detail = detail;
  }
}

/** As sent. */
export function toErrorObject({ code, message, detail }: RpcError): object {
  return { code, message, ...(detail !== undefined && { data: detail }) };
}

export function sessionNotFound(sessionId: string): RpcError {
  return new RpcError("not-found", `There is no session '${sessionId}'. It may have been closed or removed`, {
    sessionId,
  });
}
