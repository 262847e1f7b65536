/** The official SDK, an optional peer: loaded by whoever asks for MCP, and named where it is not there. */

/** The package is not installed. */
export class SdkMissing extends Error {
  override readonly name = "SdkMissing"

  constructor(name: string) {
    super(`MCP needs the package ${name}, which is not installed: npm install ${name}`)
  }
}

const client = "@modelcontextprotocol/client"
const server = "@modelcontextprotocol/server"

export const loadClient = () => load(client, () => import("@modelcontextprotocol/client"))
export const loadClientStdio = () => load(client, () => import("@modelcontextprotocol/client/stdio"))
export const loadServer = () => load(server, () => import("@modelcontextprotocol/server"))
export const loadServerStdio = () => load(server, () => import("@modelcontextprotocol/server/stdio"))

/** Whatever else goes wrong while it is loaded is told as it is. */
export async function load<Module>(name: string, importIt: () => Promise<Module>): Promise<Module> {
  try {
    return await importIt()
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"
    throw missing && error.message.includes(name) ? new SdkMissing(name) : error
  }
}
