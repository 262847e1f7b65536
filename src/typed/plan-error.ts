/** What a property at fault is asked to be, so that tsc says there what the compiler would say. */
import type { Code, Codes, Holes } from "../diagnostic/codes.ts"

/**
 * No value is one: whatever is written there, tsc names this type, and with it the fault. An interface and no string, so
 * that no editor offers the message as a completion. It may hold any key, so that an object is refused as a whole, at
 * its own place.
 */
export interface PlanError<Message extends string> {
  readonly "~planError": Message
  readonly [key: string]: unknown
}

/** The compiler's own words, out of the one table: `PlanError<"SEQ203: step `a` refers to itself">`. */
export type Say<C extends Code, Words> = Refuse<`${C}: ${Fill<Codes[C]["message"], Words>}`>

/** Asked as a question, so that tsc prints what it comes to and not what it is called here. */
export type Refuse<Message> = Message extends string ? PlanError<Message> : never

type Fill<Template extends string, Words> = Template extends `${infer Before}{${infer Name}}${infer After}`
  ? Name extends Holes<Template>
    ? `${Before}${Name extends keyof Words ? Shown<Words[Name]> : `{${Name}}`}${Fill<After, Words>}`
    : `${Before}{${Name}}${Fill<After, Words>}`
  : Template

type Shown<Word> = Word extends string | number ? Word : never

/** "`A`, `B` or `C`" */
export type OrList<Names extends readonly unknown[]> = Names extends readonly [infer One extends string]
  ? `\`${One}\``
  : Names extends readonly [infer One extends string, infer Other extends string]
    ? `\`${One}\` or \`${Other}\``
    : Names extends readonly [infer One extends string, ...infer Rest]
      ? `\`${One}\`, ${OrList<Rest>}`
      : string
