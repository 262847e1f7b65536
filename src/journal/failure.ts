/** The world's refusals as typed errors, made from the table of codes; and those of the journal itself. */
import type { YieldableError } from "effect/Cause"
import * as Data from "effect/Data"
import type { Holes } from "../diagnostic/codes.ts"
import { type RunCode, type RunCodes, runCodes } from "./codes.ts"
import type { Failure } from "./entry.ts"

/** The holes of a code's message and hint. */
export type Fields<C extends RunCode> = {
  readonly [Name in Holes<RunCodes[C]["message"] | RunCodes[C]["hint"]>]: string | number
}

/** What all of them have. `fields` are the parts the message was made of. */
export interface Refusal<C extends RunCode = RunCode> {
  readonly _tag: RunCodes[C]["tag"]
  readonly code: C
  readonly message: string
  readonly hint: string
  /** Whether the same may be tried again without a person looking first. */
  readonly again: boolean
  readonly fields: Fields<C>
}

/** An error of this code: it can be thrown, caught by its `_tag`, and yielded in an Effect. */
export type RefusalClass<C extends RunCode> = new (fields: Fields<C>) => Refusal<C> & YieldableError

/** The class of one code. As JSON it has no stack. */
export function refusal<C extends RunCode>(code: C): RefusalClass<C> {
  const { tag, message, hint, again } = runCodes[code]
  return class extends Data.TaggedError(tag)<Omit<Refusal, "_tag">> {
    constructor(fields: Fields<C>) {
      super({ code, message: fill(message, fields), hint: fill(hint, fields), again, fields: { ...fields } })
    }
  } as unknown as RefusalClass<C>
}

function fill(template: string, fields: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (hole, name: string) =>
    Object.hasOwn(fields, name) ? `${fields[name]}` : hole,
  )
}

/** As it is written down in an entry. */
export function record(error: Refusal, cause?: Failure): Failure {
  const { stepId } = error.fields as { readonly stepId?: string }
  // A message that quotes others was cut somewhere: half a character has no canonical form.
  const message = error.message.toWellFormed()
  return {
    tag: error._tag,
    code: error.code,
    message,
    ...(stepId === undefined ? {} : { stepId }),
    ...(cause === undefined ? {} : { cause }),
  }
}

/** What is the matter with a store. After `broken` it is not to be trusted, whatever it says: see `recover.ts`. */
export type Trouble =
  | "busy"
  | "full"
  | "read-only"
  | "corrupt"
  | "gone"
  | "replaced"
  | "missing"
  | "foreign"
  | "broken"
  | "other"

export class StoreUnavailable extends refusal("RUN501") {
  readonly trouble: Trouble

  constructor({ trouble = "other", ...fields }: Fields<"RUN501"> & { readonly trouble?: Trouble }) {
    super(fields)
    this.trouble = trouble
  }
}
export class JournalConflict extends refusal("RUN502") {}
export class JournalTampered extends refusal("RUN503") {}
export class JournalDiverged extends refusal("RUN504") {}
export class JournalNewer extends refusal("RUN505") {}
export class JournalOlder extends refusal("RUN508") {}
export class RunUnderWay extends refusal("RUN208") {}
export class LeaseLost extends refusal("RUN507") {}

/** An intent asked for what is not free. Not for users: whoever drives the run looks again, and decides by what it finds. */
export class Taken extends Data.TaggedError("Taken")<{
  readonly stepId: string
  readonly what: "key" | "claim" | "limit"
}> {}
