/** SHA-256 where there is no Node: in a browser, at the edge. See sha256-node.ts. */
import { sha256 as digest } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"

/** Of the text's UTF-8, in lower-case hex. */
export const sha256 = (text: string): string => bytesToHex(digest(utf8ToBytes(text)))
