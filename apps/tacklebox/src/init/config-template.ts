/** The file that `tacklebox init` writes. Every example in it works as it stands once it is uncommented. */
export const CONFIG_TEMPLATE = `# The config file of Tacklebox. To check it after a change: tacklebox check
# To use one of the examples, remove "# " at the start of its lines.

# The servers that offer tools. You can also add one with: tacklebox add
# or import those of another program with: tacklebox import
servers:
  # A program that Tacklebox starts; this one works with the files of a folder.
  # files:
  #   command: npx
  #   args: [-y, "@modelcontextprotocol/server-filesystem", /path/to/folder]

  # A server on the web. To store its key: tacklebox secret set NOTES_KEY
  # notes:
  #   url: https://notes.example.com/mcp
  #   headers: { Authorization: "Bearer \${secret:NOTES_KEY}" }

# Rules for single tools. With ask, you approve each call first; where nobody
# can be asked, it is denied. With deny, every call is denied.
# toolbox:
#   tools:
#     - { name: write_file, approval: ask }
#     - { name: move_file, approval: deny }

# Models for chat and run. Without this, Tacklebox looks for OPENAI_API_KEY,
# ANTHROPIC_API_KEY and a local Ollama, in this order.
# models:
#   local: { vendor: ollama, model: "qwen3:8b" }
`;
