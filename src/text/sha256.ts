/** SHA-256 where there is no Node: in a browser, at the edge. See sha256-node.ts. */
import { sha256 as digest } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** Of the text's UTF-8, in lower-case hex. */
export const sha256 = (text: string): string => bytesToHex(digest(utf8ToBytes(text)))

/** A text that is hashed as it grows. */
export class Sha256 {
  readonly #hash = digest.create()

  add(text: string): void {
    this.#hash.update(utf8ToBytes(text))
  }

  /** Of what was added, and `end` behind it. */
  hexWith(end: string): string {
    return bytesToHex(this.#hash.clone().update(utf8ToBytes(end)).digest())
  }
}
