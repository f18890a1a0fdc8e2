// @ts-check
// The least a program can do that answers an editor: reads lines, answers each.
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method } = JSON.parse(line);
    const result = method === "initialize" ? { protocolVersion: 1 } : { sessionId: "session" };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  }
});
