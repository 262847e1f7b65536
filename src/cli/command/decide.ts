/** `sequitur approve` and `sequitur deny`: records a person's decision, and goes on from there in this process. */
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { awaitedBy } from "../../journal/asked.ts"
import type { Entry } from "../../journal/entry.ts"
import { replay } from "../../journal/state.ts"
import { decide, type PlainDecision, type SignedDecision } from "../../run/approval/decide.ts"
import { type IssueOptions, issueApproval } from "../../run/approval/issue.ts"
import { waitingIn as waitingApproval } from "../../run/approval/waiting.ts"
import { approversFor } from "../approvers.ts"
import { follow } from "../follow.ts"
import { nameOf } from "../modules.ts"
import { type OriginOptions, originOf, tryOriginOf } from "../origin.ts"
import { lookFor, readBytes } from "../read-file.ts"
import { readEntries, useStore } from "../store.ts"
import { makeTell, tellEnd } from "../tell.ts"
import { type Format, UsageError } from "../terminal.ts"
import { signedBy } from "../typed.ts"

export interface DecideOptions extends OriginOptions {
  readonly by: string
  readonly reason: string
  /** A private key to sign with, as `keygen` wrote it; or a decision that was signed elsewhere. */
  readonly key?: string
  readonly token?: string
  readonly format: Format
}

export async function approveRun(
  runId: string,
  stepId: string,
  { by, reason, key, token, format, ...options }: DecideOptions,
): Promise<number> {
  const { store, tenant } = options
  const before = await readEntries(store, runId, tenant)
  // The gate of a program goes on by itself when it is asked again: where nothing says by which catalog, the word is enough.
  const origin = isOpen(before) ? await tryOriginOf(before, options) : await originOf(before, options)
  const said = await wordOf({ by, reason, key, token }, "approved", runId, before)
  const waitsAt = waitingIn(runId, before)
  if (origin === undefined)
    return takeWord({ runId, stepId, decision: "approved", said, format, before, waitsAt }, options)
  return follow(
    { ...origin, along: options, store, format, before, waitsAt, word: true },
    async (runner) => (await runner.approve(runId, stepId, { ...said, tenant })).runId,
  )
}

/** A denial is taken by the journal alone; what the run has done is undone by its tools, where they are found. */
export async function denyRun(
  runId: string,
  stepId: string,
  { by, reason, key, token, format, ...options }: DecideOptions,
): Promise<number> {
  const { store, tenant } = options
  const before = await readEntries(store, runId, tenant)
  const waitsAt = waitingIn(runId, before)
  const said = await wordOf({ by, reason, key, token }, "denied", runId, before)
  const origin = await tryOriginOf(before, options)
  if (origin !== undefined) {
    return follow(
      { ...origin, along: options, store, format, before, waitsAt, word: true, deny: true },
      async (runner) => (await runner.deny(runId, stepId, { ...said, tenant })).runId,
    )
  }
  return takeWord({ runId, stepId, decision: "denied", said, format, before, waitsAt }, options)
}

interface Taken {
  readonly runId: string
  readonly stepId: string
  readonly decision: "approved" | "denied"
  readonly said: PlainDecision | SignedDecision
  readonly format: Format
  readonly before: readonly Entry[]
  readonly waitsAt: string | undefined
}

/** By the journal alone. */
async function takeWord(
  { runId, stepId, decision, said, format, before, waitsAt }: Taken,
  options: OriginOptions,
): Promise<number> {
  const { store, tenant } = options
  const approvers = approversFor(options.approvers, resolve("catalog.ts"))
  const word = decide(runId, stepId, { decision, ...said, tenant, approvers, onEvent: makeTell(format, before) })
  const entries = await useStore(store, (journal) => Effect.andThen(word, journal.read(runId)), {
    runId,
    waitsAt,
    signing: signingOf(before),
    along: options,
  })
  return tellEnd({ runId, entries, store, along: options, format, word: true, deny: decision === "denied" })
}

const isOpen = ([first]: readonly Entry[]): boolean =>
  first?.event.kind === "run-started" && first.event.open !== undefined

type Word = Pick<DecideOptions, "by" | "reason"> & { readonly [How in "key" | "token"]: string | undefined }

/** By name, or signed: here, for what the run waits for now, or elsewhere. */
async function wordOf(
  { by, reason, key, token }: Word,
  decision: "approved" | "denied",
  runId: string,
  entries: readonly Entry[],
): Promise<PlainDecision | SignedDecision> {
  if (key !== undefined && token !== undefined) throw new UsageError("give --key or --token, not both")
  if (token !== undefined) return { token: await readToken(token) }
  if (key === undefined) return { by, reason }
  const state = replay(runId, entries)
  const waiting = state instanceof Error ? undefined : waitingApproval(state)
  // Where nothing waits, whoever is asked to take the word says so.
  return waiting === undefined
    ? { by, reason }
    : { token: await signWith(key, { bound: waiting.bound, decision, reason }) }
}

export async function signWith(
  file: string,
  said: Pick<IssueOptions, "bound" | "decision" | "reason">,
): Promise<string> {
  try {
    const { kid, key } = JSON.parse(await readText(file)) as Pick<IssueOptions, "kid" | "key">
    return await issueApproval({ ...said, kid, key })
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${nameOf(file)} is no private key that can sign: give a file that \`sequitur keygen\` wrote`)
  }
}

/** As it is, or out of a file. */
export const readToken = async (token: string): Promise<string> =>
  token.startsWith("@") ? (await readText(token.slice(1))).trim() : token

async function readText(file: string): Promise<string> {
  await lookFor(file)
  return new TextDecoder().decode(await readBytes(file, () => 65_536))
}

function waitingIn(runId: string, entries: readonly Entry[]): string | undefined {
  const state = replay(runId, entries)
  return state instanceof Error || state.status !== "awaiting_approval" ? undefined : awaitedBy(state)?.stepId
}

/** As the run's catalog said when it began. */
const signingOf = ([first]: readonly Entry[]): readonly string[] =>
  signedBy(first?.event.kind === "run-started" ? first.event.unsigned : undefined)
