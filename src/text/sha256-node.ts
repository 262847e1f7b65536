/** SHA-256 by Node's own OpenSSL. package.json `imports` gives this file as `#sha256` in Node, and sha256.ts elsewhere. */
import { createHash, hash } from "node:crypto"

/** Of the text's UTF-8, in lower-case hex. */
export const sha256 = (text: string): string => hash("sha256", text, "hex")

/** A text that is hashed as it grows. */
export class Sha256 {
  readonly #hash = createHash("sha256")

  add(text: string): void {
    this.#hash.update(text)
  }

  /** Of what was added, and `end` behind it. */
  hexWith(end: string): string {
    return this.#hash.copy().update(end).digest("hex")
  }
}
