/** An MCP server of a parcel service, as anybody would write it with the official SDK. It knows nothing of Sequitur. */
import { McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"

const parcels = new Map([["P-1042", { parcelId: "P-1042", to: "Elm Street 3", status: "in transit" }]])

serveStdio(() => {
  const server = new McpServer({ name: "parcels", version: "1.0.0" })
  const said = (text: string) => [{ type: "text" as const, text }]
  server.registerTool(
    "find_parcel",
    {
      description: "Find a parcel by its number.",
      inputSchema: z.strictObject({ number: z.string() }),
      outputSchema: z.strictObject({ parcelId: z.string(), to: z.string(), status: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ number }) => {
      const found = parcels.get(number)
      return found === undefined
        ? { content: said("no such parcel"), isError: true }
        : { content: said(found.status), structuredContent: found }
    },
  )
  server.registerTool(
    "redirect_parcel",
    {
      description: "Send a parcel to another pick-up point.",
      inputSchema: z.strictObject({ parcelId: z.string(), pickUpPoint: z.string() }),
      outputSchema: z.strictObject({ arrives: z.string() }),
      annotations: { idempotentHint: true },
    },
    ({ pickUpPoint }) => ({
      content: said("redirected"),
      structuredContent: { arrives: `tomorrow, at ${pickUpPoint}` },
    }),
  )
  return server
})
