/** How the bridge asks for the stream that it pumps its stdio through. */
export const BRIDGE_PROTOCOL = 'mcp-stdio'
/** The bridge’s environment: where, and its secret. */
export const BRIDGE_PORT = 'EXOMONAD_LIBRARY_MCP_PORT'
export const BRIDGE_TOKEN = 'EXOMONAD_LIBRARY_MCP_TOKEN'
