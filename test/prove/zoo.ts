/**
 * The tool zoo: one tool for each way in which an effect can, or cannot, be settled after its answer was lost; each plain and
 * undoable. What the catalog says of a kind is its promise, `outside` is how the outside world keeps it.
 */
import { type TSchema, Type } from "@sinclair/typebox"
import { defineCatalog, fromArgs, type ToolSpec, tool } from "sequitur"

/** How the outside world treats the calls of a kind. */
export interface Outside {
  /** A key it has seen is answered with the first result, as Stripe does; forgotten after that long. */
  readonly dedupesForMs?: number
  /** Setting what is set already changes nothing. */
  readonly sets?: true
  /** It accepts a request at once, and the effect happens that much later, whatever has become of its caller. */
  readonly delayMs?: number
  /** It is too busy for the second request by a key. */
  readonly busy?: true
  /** Asked by key, it tells the truth; `bars` also makes sure that what has not happened never will. */
  readonly tells?: "truth" | "bars" | "nothing"
}

export interface Kind {
  readonly says: Pick<ToolSpec, "idempotency" | "reconcile">
  readonly outside: Outside
  /** Whether a lost answer can always be settled without a person. */
  readonly settles: boolean
}

const dayMs = 86_400_000

/** A call may take this long; a process that has died is noticed soon (taken over), or late (its lease has run out). */
export const timeoutMs = 10_000
export const soonMs = 1_000
export const lateMs = 60_000

/** Soon, it is within this; late, it is past it. */
const shortMs = 40_000
/** Longer than both, so that recovery must wait. */
const longMs = 90_000
const slowMs = 4_000
/** Longer than a call may take. */
const muteMs = 20_000

const keptFor = (retentionMs: number) => ({ key: { retentionMs } })

export const kinds = {
  natural: { says: { idempotency: "natural" }, outside: { sets: true }, settles: true },
  key: { says: { idempotency: keptFor(dayMs) }, outside: { dedupesForMs: dayMs }, settles: true },
  key_slow: {
    says: { idempotency: keptFor(dayMs) },
    outside: { dedupesForMs: dayMs, delayMs: slowMs },
    settles: true,
  },
  key_mute: {
    says: { idempotency: keptFor(dayMs) },
    outside: { dedupesForMs: dayMs, delayMs: muteMs },
    settles: true,
  },
  key_busy: {
    says: { idempotency: keptFor(dayMs) },
    outside: { dedupesForMs: dayMs, busy: true },
    settles: true,
  },
  key_short: { says: { idempotency: keptFor(shortMs) }, outside: { dedupesForMs: shortMs }, settles: false },
  key_short_told: {
    says: { idempotency: keptFor(shortMs), reconcile: { finalAfterMs: longMs } },
    outside: { dedupesForMs: shortMs, tells: "truth" },
    settles: true,
  },
  told: {
    says: { idempotency: "none", reconcile: { finalAfterMs: longMs } },
    outside: { tells: "truth" },
    settles: true,
  },
  told_early: {
    says: { idempotency: "none", reconcile: { finalAfterMs: shortMs } },
    outside: { tells: "truth" },
    settles: true,
  },
  told_slow: {
    says: { idempotency: "none", reconcile: { finalAfterMs: shortMs } },
    outside: { tells: "truth", delayMs: slowMs },
    settles: true,
  },
  told_mute: {
    says: { idempotency: "none", reconcile: { finalAfterMs: shortMs } },
    outside: { tells: "truth", delayMs: muteMs },
    settles: true,
  },
  barred: {
    says: { idempotency: "none", reconcile: { finalAfterMs: longMs } },
    outside: { tells: "bars" },
    settles: true,
  },
  barred_slow: {
    says: { idempotency: "none", reconcile: { finalAfterMs: longMs } },
    outside: { tells: "bars", delayMs: slowMs },
    settles: true,
  },
  untold: {
    says: { idempotency: "none", reconcile: { finalAfterMs: shortMs } },
    outside: { tells: "nothing" },
    settles: false,
  },
  none: { says: { idempotency: "none" }, outside: {}, settles: false },
} as const satisfies { readonly [name: string]: Kind }

export type KindName = keyof typeof kinds

export const kindNames = Object.keys(kinds) as readonly KindName[]

/** One tool of the zoo, read out of its name: `do_key`, `try_key` (which can be undone), `undo_key`. */
export interface Animal {
  readonly tool: string
  readonly kind: KindName
  readonly undoable: boolean
  readonly undoes: boolean
}

const animals: ReadonlyMap<string, Animal> = new Map(
  kindNames.flatMap((kind) =>
    (["do", "try", "undo"] as const).map((verb): [string, Animal] => {
      const name = `${verb}_${kind}`
      return [name, { tool: name, kind, undoable: verb === "try", undoes: verb === "undo" }]
    }),
  ),
)

/** Undefined of `look`, which reads, and of `refuse`, which always says that nothing has happened. */
export const animalOf = (name: string): Animal | undefined => animals.get(name)

/** What plans are made of. */
export const callable: readonly string[] = [
  "look",
  "refuse",
  ...[...animals.values()].filter(({ undoes }) => !undoes).map((animal) => animal.tool),
]

const params: TSchema = Type.Object({ item: Type.String({ maxLength: 40 }) }, { additionalProperties: false })
const result: TSchema = Type.Object({ did: Type.String({ maxLength: 80 }) }, { additionalProperties: false })
const shared = { params, result, timeoutMs, effect: "write", compensate: "none" } as const

const toolOf = ({ kind, undoable, undoes }: Animal): ToolSpec =>
  tool({
    ...shared,
    description: undoes ? "Undo it." : "Do it.",
    ...kinds[kind].says,
    ...(undoable ? { compensate: { tool: `undo_${kind}`, args: { item: fromArgs("/item") } } } : {}),
  })

export const catalog = defineCatalog({
  name: "zoo",
  version: "1",
  tools: {
    look: tool({ description: "Look at it.", effect: "read", params, result, timeoutMs }),
    refuse: tool({
      ...shared,
      description: "Say that it cannot be done.",
      idempotency: "none",
      reconcile: { finalAfterMs: shortMs },
    }),
    ...Object.fromEntries([...animals.values()].map((animal) => [animal.tool, toolOf(animal)])),
  },
})

/** The tools of a plan, in order; each does something to an item of its own, `s1`, `s2`, … */
export type Shape = readonly string[]

export const documentOf = (shape: Shape): string =>
  JSON.stringify({
    version: 1,
    steps: shape.map((name, index) => ({ id: `s${index + 1}`, tool: name, args: { item: `s${index + 1}` } })),
  })

/** How many plans of so many steps there are, and one of them. */
export const shapesOf = (steps: number): number => callable.length ** steps

export function shapeAt(steps: number, index: number): Shape {
  const shape: string[] = []
  for (let left = index; shape.length < steps; left = Math.floor(left / callable.length))
    shape.push(callable[left % callable.length] as string)
  return shape
}
