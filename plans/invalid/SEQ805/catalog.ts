import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

export default defineCatalog({
  name: "bare",
  version: "1",
  machine: {
    initial: "LOOKING",
    // @ts-expect-error a rule has a name and a version: types see it too.
    transitions: { LOOKING: { BUYING: { guard: (): boolean => true } }, BUYING: { LOOKING: {} } },
  },
  tools: {
    look: tool({
      description: "Look.",
      effect: "read",
      params: z.strictObject({ id: z.string().refine((id) => id !== "") }),
      // @ts-expect-error a predicate has a name and a version: types see it too.
      authority: { when: (_args: object, principal: { readonly subject: string }) => principal.subject === "ada" },
    }),
  },
})
