/** Two big libraries, loaded when they are first asked for. package.json `imports` gives this file as `#engines` in Node. */
import { createRequire } from "node:module"
import type { Engines } from "./engines.ts"

const require = createRequire(import.meta.url)

export const ajv: Engines["ajv"] = () => (require("ajv/dist/2020.js") as { Ajv2020: ReturnType<typeof ajv> }).Ajv2020

/** The build for browsers is plain JavaScript: it starts no process and no worker. */
export const recheck: Engines["recheck"] = () =>
  (require("recheck/lib/browser.js") as { checkSync: ReturnType<typeof recheck> }).checkSync
