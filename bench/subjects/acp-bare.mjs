// @ts-check
// The least a program can do to answer an editor: it reads lines and answers each.
let partialLine = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (partialLine + text).split("\n");
  partialLine = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method } = JSON.parse(line);
    const result = method === "initialize" ? { protocolVersion: 1 } : { sessionId: "session" };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  }
});
