/** Two big libraries, where modules are bundled. In Node package.json `imports` gives engines-node.ts for this file. */
import { Ajv2020 } from "ajv/dist/2020.js"
import { checkSync } from "recheck"

export interface Engines {
  /** The validator that a JSON Schema is judged by. */
  readonly ajv: () => typeof Ajv2020
  /** The checker of regular expressions. */
  readonly recheck: () => typeof checkSync
}

export const ajv: Engines["ajv"] = () => Ajv2020

export const recheck: Engines["recheck"] = () => checkSync
