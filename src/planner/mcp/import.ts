/** Asks a server once what it offers, and hangs up. */
import { type Asked, connect, type LinkOptions } from "./link.ts"
import { type Listed, readListed } from "./listed.ts"
import type { McpPlace } from "./place.ts"

export interface Offer {
  readonly listed: Listed
  readonly calls: { readonly name: string; readonly version: string }
  readonly protocol: string
}

/** What a server offers, or how asking it ended. */
export async function askOffer(place: McpPlace, options: LinkOptions = {}): Promise<Asked<Offer>> {
  const asked = await connect(place, options)
  if (!asked.ok) return asked
  const { value: link } = asked
  try {
    const tools = await link.listTools(options.signal)
    if (!tools.ok) return tools
    return { ok: true, value: { listed: readListed(tools.value), calls: link.calls, protocol: link.protocol } }
  } finally {
    await link.close()
  }
}
