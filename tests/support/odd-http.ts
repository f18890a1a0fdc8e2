import http, { type RequestListener } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "./certificates.ts";
import { releaseAfterwards } from "./release.ts";

/** Answers every request to one path. */
export type Answer = RequestListener;

/** Starts a server on loopback that answers each path as given, and returns its origin. It ends with the test. */
export async function startOddHttp(
  answers: Readonly<Record<string, Answer>>,
  certificate?: Certificate,
): Promise<string> {
  const answer: RequestListener = (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    (answers[pathname] ?? answers["*"] ?? notFound)(request, response);
  };
  const server = certificate === undefined ? http.createServer(answer) : https.createServer(certificate, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  releaseAfterwards(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return `${certificate === undefined ? "http" : "https"}://127.0.0.1:${port}`;
}

const notFound: Answer = (_request, response) => void response.writeHead(404).end();

/** Answers with a status, headers and a body. */
export function answering(status: number, headers: Readonly<Record<string, string>> = {}, body = ""): Answer {
  return (_request, response) => void response.writeHead(status, headers).end(body);
}
