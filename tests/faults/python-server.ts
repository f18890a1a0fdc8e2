/** A whole MCP server for `python3 -c`, whose one tool writes 2 MB to stderr with blocking writes. */
export const PYTHON_SERVER = `
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        reply["result"] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "python", "version": "1"}}
    elif method == "tools/list":
        reply["result"] = {"tools": [{"name": "flood", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        for _ in range(2000):
            sys.stderr.write("e" * 999 + "\\n")
        sys.stderr.flush()
        reply["result"] = {"content": [{"type": "text", "text": "flooded"}]}
    else:
        reply["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(reply), flush=True)
`;
