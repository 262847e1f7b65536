/** Stores for tests, in a folder that goes when the tests have ended. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Layer } from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll } from "vitest"
import { Journal, type JournalService } from "../../src/journal/journal.ts"
import { memory } from "../../src/journal/memory.ts"
import { sqlite } from "../../src/journal/sqlite.ts"

/** In memory where there is such a place: what is asked here is not whether the disk keeps it. */
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sequitur-journal-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
export const newFile = (): string => join(folder, `${files++}.db`)

export type Ask = <A, E>(question: (journal: JournalService) => Effect.Effect<A, E>) => Promise<A>

export interface Asked {
  readonly ask: Ask
  readonly close: () => Promise<void>
}

export function openStore(layer: Layer<Journal, unknown>): Asked {
  const runtime = ManagedRuntime.make(layer)
  return {
    ask: (question) => runtime.runPromise(Effect.flatMap(Journal, question)),
    close: () => runtime.dispose(),
  }
}

export async function withStore(layer: Layer<Journal, unknown>, use: (ask: Ask) => Promise<void>): Promise<void> {
  const { ask, close } = openStore(layer)
  try {
    await use(ask)
  } finally {
    await close()
  }
}

export const stores: readonly (readonly [name: string, open: () => Layer<Journal, unknown>])[] = [
  ["memory", () => memory()],
  ["sqlite", () => sqlite(newFile())],
]
