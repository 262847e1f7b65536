/** `sequitur keygen`: an Ed25519 key pair for somebody who may approve. */
import { writeFile } from "node:fs/promises"
import { generateKeys } from "../../run/approval/key-set.ts"
import { nameOf } from "../modules.ts"
import { unusable } from "../read-file.ts"
import { complain, exit, printJson } from "../terminal.ts"

export interface KeygenOptions {
  readonly out: string
  readonly subject: string
  readonly tenant: string
  readonly roles?: string
  readonly development?: true
}

/** The private half goes to a file that only its owner can read, and is never written over another; the public one is printed. */
export async function makeKeys({ out, subject, tenant, roles = "", development }: KeygenOptions): Promise<number> {
  const { kid, publicKey, privateKey } = generateKeys()
  await writeFile(out, `${JSON.stringify({ kid, key: privateKey })}\n`, { mode: 0o600, flag: "wx" }).catch((error) => {
    throw unusable(out, error)
  })
  const names = roles.split(",").flatMap((role) => (role.trim() === "" ? [] : [role.trim()]))
  printJson({ kid, publicKey, subject, tenant, roles: names, ...(development ? { development } : {}) }, 2)
  complain(
    `the private key is in ${nameOf(out)}: whoever has it can approve; what was printed goes into approvers.json`,
  )
  return exit.fine
}
