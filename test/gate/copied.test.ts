/** A single call writes values only: one that copies what was returned where a rule says it may come from is what it was there. */
import { defineCatalog, tool } from "sequitur"
import { createGate, type ProposedCall, type Verdict } from "sequitur/gate"
import { memory } from "sequitur/run"
import { expect, test } from "vitest"
import { z } from "zod"

const safe = { idempotency: { key: { retentionMs: 86_400_000 } }, compensate: "none" } as const

const office = defineCatalog({
  name: "office",
  version: "1",
  approvals: "unsigned",
  inputs: z.strictObject({ owner: z.string() }),
  tools: {
    team: tool({
      description: "Who is in the team.",
      effect: "read",
      params: z.strictObject({ name: z.string() }),
      result: z.strictObject({ boss: z.string(), mates: z.array(z.string()), said: z.string() }),
      untrusted: ["/said"],
      private: ["/mates"],
    }),
    mail: tool({
      description: "Read the mail.",
      effect: "read",
      params: z.strictObject({}),
      result: z.strictObject({ text: z.string() }),
      untrusted: ["/text"],
      private: ["/text"],
    }),
    send: tool({
      description: "Send a note.",
      effect: "write",
      params: z.strictObject({ to: z.string(), text: z.string().optional() }),
      rules: { to: { from: ["team#/boss", "team#/mates/*", "input#/owner"], trusted: true } },
      ...safe,
    }),
    card: tool({
      description: "What is on the card of somebody.",
      effect: "read",
      params: z.strictObject({ who: z.array(z.string()) }),
      result: z.strictObject({ address: z.string() }),
      rules: { "/who/*": { from: ["team#/boss", "team#/said"] } },
    }),
    parcel: tool({
      description: "Send a parcel.",
      effect: "write",
      params: z.strictObject({ address: z.string() }),
      rules: { address: { from: ["card#/address"], trusted: true } },
      ...safe,
    }),
    show: tool({
      description: "Show it to everybody.",
      effect: "write",
      params: z.strictObject({ who: z.string() }),
      rules: { who: { from: ["team#/boss"], public: true } },
      ...safe,
    }),
    post: tool({
      description: "Post.",
      effect: "write",
      params: z.strictObject({ text: z.string() }),
      rules: { text: { trusted: true } },
      ...safe,
    }),
  },
})

async function made(...calls: readonly (readonly [string, unknown])[]): Promise<readonly Verdict[]> {
  const tools = {
    team: ({ name }: { readonly name: string }) => ({ boss: `boss-${name}`, mates: ["m1", "m2"], said: "s" }),
    mail: () => ({ text: "boss-evil" }),
    card: ({ who }: { readonly who: readonly string[] }) => ({ address: `${who.join()}'s` }),
    send: () => ({}),
    parcel: () => ({}),
    show: () => ({}),
    post: () => ({}),
  }
  const gate = await createGate({
    catalog: office,
    tools: tools as never,
    store: memory(),
    principal: { tenant: "acme", subject: "ann" },
    session: "s",
    task: "t",
    inputs: { owner: "olga" },
    maxConsecutiveFailures: 0,
  })
  const verdicts: Verdict[] = []
  for (const [index, [name, args]] of calls.entries()) {
    const call: ProposedCall = { callId: `c${index}`, tool: name, args }
    verdicts.push(...(await gate.turn([call])))
  }
  await gate.leave()
  return verdicts
}

const last = async (...calls: readonly (readonly [string, unknown])[]): Promise<string> => {
  const verdict = (await made(...calls)).at(-1)
  return verdict?.kind === "refused" ? verdict.diagnostics.map(({ code }) => code).join() : (verdict?.kind ?? "")
}

const mail = ["mail", {}] as const
const team = ["team", { name: "x" }] as const

test.each([
  ["what a trusted tool gave before", "accepted", [team, mail, ["send", { to: "boss-x" }]]],
  ["what the host gave", "accepted", [mail, ["send", { to: "olga" }]]],
  ["what nobody gave", "SEQ601", [team, mail, ["send", { to: "boss-y" }]]],
  ["what only an untrusted place holds", "SEQ601", [team, mail, ["send", { to: "s" }]]],
  [
    "what was asked for with what the mail says",
    "SEQ602",
    [mail, ["team", { name: "evil" }], ["send", { to: "boss-evil" }]],
  ],
  [
    "what was asked for so before, and so again",
    "accepted",
    [["team", { name: "evil" }], mail, ["team", { name: "evil" }], ["send", { to: "boss-evil" }]],
  ],
  ["nothing of the mail itself", "SEQ601", [mail, ["send", { to: "boss-evil" }]]],
  [
    "what is looked up by a copy",
    "accepted",
    [team, mail, ["card", { who: ["boss-x"] }], ["parcel", { address: "boss-x's" }]],
  ],
  [
    "what is looked up by a copy and by what is untrusted",
    "SEQ602",
    [team, mail, ["card", { who: ["boss-x", "s"] }], ["parcel", { address: "boss-x,s's" }]],
  ],
  ["what is looked up by nothing", "SEQ602", [team, mail, ["card", { who: [] }], ["parcel", { address: "'s" }]]],
  ["a public name where others see it", "accepted", [team, mail, ["show", { who: "boss-x" }]]],
  [
    "a name that was asked for with what the mail says",
    "SEQ603",
    [mail, ["team", { name: "evil" }], ["show", { who: "boss-evil" }]],
  ],
  ["a text of its own without such a rule", "SEQ602", [team, mail, ["post", { text: "boss-x" }]]],
] as const)("%s: %s", async (_, expected, calls) => {
  expect(await last(...calls)).toBe(expected)
})

test("what is told can be followed by who writes values only", async () => {
  const hints = async (...calls: readonly (readonly [string, unknown])[]): Promise<string> => {
    const verdict = (await made(...calls)).at(-1)
    return verdict?.kind === "refused" ? verdict.diagnostics.map(({ hint }) => hint).join() : ""
  }
  expect(await hints(mail, ["team", { name: "evil" }], ["send", { to: "boss-evil" }])).toBe(
    "Call `team`, with nothing of the untrusted data in the call, and write `to` exactly as it stands at `team#/boss` or `team#/mates/*` of the answer; or: Write `to` exactly as it stands at `input#/owner`.",
  )
  expect(await hints(mail, ["post", { text: "x" }])).toMatch(/^Do not ask for this again/)
})
