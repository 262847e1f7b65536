/** Tells stories, and prints the digest of all their journals: a process of its own, for the test that they are the same there. */
import { sha256 } from "#sha256"
import { storeOf } from "./simulate.ts"
import { tell } from "./story.ts"

export async function digestOf(seeds: readonly number[]): Promise<string> {
  const digests: string[] = []
  for (const seed of seeds) {
    const { lines, struck } = await tell(seed, { store: storeOf(seed), lines: true })
    digests.push(sha256(JSON.stringify([lines, struck])))
  }
  return digests.join("\n")
}

if (import.meta.main) console.log(await digestOf(process.argv.slice(2).map(Number)))
