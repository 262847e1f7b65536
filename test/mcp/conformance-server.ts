/** The service as the official conformance suite looks at it: everybody is known, nothing is behind a token. */
import { defineCatalog, tool } from "sequitur"
import { serveHttp } from "sequitur/mcp"
import { createRunner, memory, toolbox } from "sequitur/run"
import { z } from "zod"

export const catalog = defineCatalog({
  name: "greetings",
  version: "1",
  tools: {
    find_name: tool({
      description: "Look up a name.",
      effect: "read",
      params: z.strictObject({ id: z.int() }),
      result: z.strictObject({ name: z.string() }),
    }),
  },
})

export const serveGreetings = () => {
  const runner = createRunner({
    catalog,
    tools: toolbox(catalog, { find_name: ({ id }) => ({ name: `user ${id}` }) }),
    store: memory(),
  })
  return serveHttp({ catalog, runner, port: 0, authenticate: () => ({ tenant: "acme", subject: "ada" }) })
}
