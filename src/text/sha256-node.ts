/** SHA-256 by Node's own OpenSSL. package.json `imports` gives this file as `#sha256` in Node, and sha256.ts elsewhere. */
import { hash } from "node:crypto"

/** Of the text's UTF-8, in lower-case hex. */
export const sha256 = (text: string): string => hash("sha256", text, "hex")
