import { defineCatalog, tool } from "sequitur"
import { z } from "zod"

const read = tool({ description: "Read.", effect: "read", params: z.strictObject({ id: z.string() }) })

export default defineCatalog({
  name: "bare",
  version: "1",
  machine: { initial: "OPEN", transitions: { OPEN: { Open: {} } } },
  tools: { "mail.read": read, mail_read: read, Mail_Read: read, "mail-read": read },
})
