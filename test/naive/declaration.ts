/** What a catalog declares, as plain JSON: the naive compiler reads this, and `build` makes the real catalog from it. */

/** The schema languages that a catalog can be built with. Only in the length of strings may they differ. */
export type Front = "zod" | "typebox"

export type Shape =
  | StringShape
  | { readonly kind: "integer" | "number"; readonly min?: number; readonly max?: number }
  | { readonly kind: "boolean" }
  | { readonly kind: "constant"; readonly value: string | number | boolean }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "nullable"; readonly of: Shape }
  | { readonly kind: "array"; readonly of: Shape; readonly min?: number; readonly max?: number }
  | ObjectShape
  | { readonly kind: "unknown" }

export interface StringShape {
  readonly kind: "string"
  /** Whose judge counts: zod counts code points, TypeBox UTF-16 units. */
  readonly front: Front
  readonly min?: number
  readonly max?: number
  /** Refuses text of nothing but spaces, by a function that no schema shows. */
  readonly refined?: boolean
}

export interface ObjectShape {
  readonly kind: "object"
  readonly fields: { readonly [name: string]: Field }
  /** Does not say that it takes no unknown keys. Nothing may follow from it: they are closed, or out of reach. */
  readonly open?: boolean
}

export interface Field {
  readonly shape: Shape
  readonly optional?: boolean
}

/** Places with `*` for any item. */
export interface LabelDeclaration {
  readonly untrusted?: readonly string[]
  readonly private?: readonly string[]
}

export interface RuleDeclaration {
  readonly from?: readonly string[]
  readonly trusted?: boolean
  readonly public?: boolean
  readonly mustState?: boolean
}

export interface ToolDeclaration extends LabelDeclaration {
  readonly front: Front
  readonly effect: "read" | "write" | "destructive"
  readonly params: ObjectShape
  readonly result?: Shape
  readonly states?: readonly string[]
  readonly requires?: readonly { readonly tool: string; readonly same?: readonly string[] }[]
  readonly blast?: { readonly [dimension: string]: BlastDeclaration }
  readonly microUsd?: number
  /** Parameters whose values make the effect one that happens once. */
  readonly once?: readonly string[]
  readonly rules?: { readonly [place: string]: RuleDeclaration }
  readonly endorse?: readonly ("trusted" | "public")[]
  readonly roles?: readonly string[]
  readonly tenants?: readonly string[]
  /** No parameter may be a number above it. */
  readonly most?: number
  /** A person is asked about each call. */
  readonly always?: boolean
}

export type BlastDeclaration =
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: "argument" | "count"; readonly parameter: string; readonly max?: number }

export interface Declaration {
  /** Of the inputs. */
  readonly front: Front
  readonly inputs?: ObjectShape
  readonly inputLabels?: LabelDeclaration
  readonly machine?: MachineDeclaration
  /** A tool that names nobody may be used by nobody. */
  readonly denies?: boolean
  readonly approveAbove?: { readonly [dimension: string]: number }
  readonly limits: { readonly [dimension: string]: number }
  readonly budgets: { readonly steps?: number; readonly sideEffects?: number; readonly microUsd?: number }
  readonly bounds: { readonly steps: number; readonly concatParts: number; readonly goalLength: number }
  readonly tools: { readonly [name: string]: ToolDeclaration }
}

export interface MachineDeclaration {
  readonly initial: string
  readonly transitions: { readonly [from: string]: { readonly [to: string]: Guarded } }
}

/** Whether a transition is free, or who must let it through: people, or a rule of the host's. */
export type Guarded = "free" | "guarded" | "ruled"
