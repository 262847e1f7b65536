/** The work is the server's: each call is held against its pin, and to the schemas of the catalog. */
import { fileURLToPath } from "node:url"
import { mcpServer, mcpToolbox } from "sequitur/mcp"
import catalog, { pins } from "./catalog.ts"

const program = fileURLToPath(new URL("server.ts", import.meta.url))

export default mcpToolbox(catalog, { servers: [mcpServer(pins, { command: process.execPath, args: [program] })] })
