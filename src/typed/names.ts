/**
 * The names in a catalog: each is the name of something that is there, and each pointer leads somewhere. What types
 * cannot see (names of any text, JSON Schema as data) is left to lint. Where TypeScript has words of its own they stand.
 * Codes: SEQ808, SEQ811, SEQ823, SEQ824.
 */
import type { CatalogSpec, MachineSpec } from "../catalog/catalog.ts"
import type { AnySchema, Infer } from "../catalog/schema/schema.ts"
import type {
  Argument,
  CompensationSpec,
  Count,
  FromArgs,
  FromResult,
  OnceSpec,
  Rule,
  ToolSpec,
} from "../catalog/tool.ts"
import type { Json } from "../text/json.ts"
import type { NameIn, ValueIn } from "./fields.ts"
import type { Refuse, Say } from "./plan-error.ts"
import type { Undeclared } from "./tools.ts"
import type { Follow, IllFormed, Lost, Needed } from "./value.ts"

/** What `tool` asks of a declaration: what it says of its own parameters and result is so. */
export type CheckTool<T extends ToolSpec> = Plain & OwnNames<T, T["params"]>

interface Plain extends Omit<ToolSpec, "requires" | "rules" | "blast" | "once" | "compensate"> {}

interface OwnNames<T, Params extends AnySchema> {
  readonly requires?: readonly { readonly tool: string; readonly same?: readonly NameIn<Params>[] }[]
  readonly rules?: { readonly [Name in NameIn<Params> | `/${string}`]?: Rule }
  readonly blast?: T extends { readonly blast: infer Blast }
    ? { readonly [Dimension in keyof Blast]: CheckCost<Params, Blast[Dimension]> }
    : { readonly [dimension: string]: number | Argument | Count }
  readonly once?: { readonly by: readonly PlaceIn<NameIn<Params>>[]; readonly scope: OnceSpec["scope"] }
  readonly compensate?: T extends { readonly compensate: { readonly args: infer Args } }
    ? { readonly tool: string; readonly args: { readonly [Name in keyof Args]: CheckSource<T, Params, Args[Name]> } }
    : CompensationSpec | "none"
}

/** A parameter, or a pointer into it. */
type PlaceIn<Name extends string> = Name | `/${Name}` | `/${Name}/${string}` | `${string}~${string}`

type CheckCost<Params extends AnySchema, Cost> = Cost extends {
  readonly kind: infer Kind
  readonly parameter: infer Name extends string
}
  ? string extends NameIn<Params> | Name
    ? Cost
    : Name extends NameIn<Params>
      ? Kind extends "argument"
        ? CheckCounted<ValueIn<Params, Name>, number, "a number", Name, Cost>
        : CheckCounted<ValueIn<Params, Name>, readonly unknown[], "an array", Name, Cost>
      : { readonly kind: Kind; readonly parameter: NameIn<Params> }
  : number

type CheckCounted<Value, Kind, Wanted extends string, Name extends string, Cost> = unknown extends Value
  ? Cost
  : [Value] extends [Kind]
    ? Cost
    : Refuse<`SEQ811: blast counts \`${Name}\`, which ${[Value] extends [Kind | undefined] ? "may be left out" : `is not always ${Wanted}`}`>

type CheckSource<T, Params extends AnySchema, Source> = Source extends {
  readonly kind: infer Kind
  readonly path: infer Path extends string
}
  ? string extends Path
    ? Source
    : Kind extends "from-result"
      ? CheckPointer<ResultIn<T>, Path, "result", Source>
      : Kind extends "from-args"
        ? CheckPointer<Infer<Params>, Path, "arguments", Source>
        : Json
  : FromResult | FromArgs | Json

type ResultIn<T> = T extends { readonly result: infer Result extends AnySchema } ? Infer<Result> : Undeclared

type CheckPointer<Whole, Path extends string, Where extends string, Source> =
  Follow<Whole, Path> extends infer End
    ? End extends Lost<string, infer Why>
      ? Misread<Path, Where, Why extends "absent" ? "does not exist" : "may be absent">
      : End extends IllFormed
        ? Refuse<`SEQ823: \`compensate\` reads \`${Path}\`, which is no JSON Pointer`>
        : Source
    : never

type Misread<
  Path extends string,
  Where extends string,
  Why extends string,
> = Refuse<`SEQ823: \`compensate\` reads \`${Path}\` of the ${Where}, which ${Why}`>

/** What `defineCatalog` asks of a declaration: what its tools say of one another and of the machine is so. */
export type CheckCatalog<Spec extends CatalogSpec> = string extends keyof Spec["tools"]
  ? CatalogSpec
  : CatalogSpec & {
      readonly machine?: CheckMachine<Spec["machine"]>
      readonly tools: {
        readonly [Name in keyof Spec["tools"]]: Spec["tools"][Name] extends Settled<keyof Spec["tools"], StatesIn<Spec>>
          ? unknown
          : AmongTools<Spec, Spec["tools"][Name]>
      }
    }

type CheckMachine<M> = M extends {
  readonly initial: infer Initial extends string
  readonly transitions: infer Transitions
}
  ? string extends Initial | keyof Transitions
    ? MachineSpec
    : [Initial] extends [StatesOf<Transitions>]
      ? MachineSpec
      : [StatesOf<Transitions>] extends [never]
        ? MachineSpec
        : { readonly initial: StatesOf<Transitions> }
  : MachineSpec | undefined

type StatesOf<Transitions> =
  | (keyof Transitions & string)
  | { [From in keyof Transitions]: keyof Transitions[From] & string }[keyof Transitions]

/** Every state of the machine; any where that is not known, none where there is no machine. */
type StatesIn<Spec extends CatalogSpec> = Spec extends {
  readonly machine: { readonly initial: infer Initial extends string; readonly transitions: infer Transitions }
}
  ? Initial | StatesOf<Transitions>
  : "machine" extends keyof Spec
    ? string
    : never

/** Of most tools one question is enough. */
interface Settled<Names, State> {
  readonly description: string
  readonly states?: readonly State[]
  readonly requires?: readonly { readonly tool: Names; readonly same?: undefined }[]
  readonly rules?: undefined
  readonly compensate?: "none"
}

/** A question, so that tsc prints what it comes to and not the whole catalog. */
type AmongTools<Spec extends CatalogSpec, T> = T extends unknown
  ? {
      readonly states?: T extends { readonly states: infer States extends readonly unknown[] }
        ? { readonly [I in keyof States]: CheckState<States[I], StatesIn<Spec>> }
        : readonly string[]
      readonly requires?: T extends { readonly requires: infer Requires extends readonly unknown[] }
        ? { readonly [I in keyof Requires]: CheckRequirement<Spec["tools"], Requires[I]> }
        : readonly unknown[]
      readonly rules?: T extends { readonly rules: infer Rules }
        ? { readonly [Name in keyof Rules]: CheckRule<Spec, Rules[Name]> }
        : object
      readonly compensate?: T extends { readonly compensate: infer Undo } ? CheckUndo<Spec["tools"], Undo> : unknown
    }
  : never

/** The name itself, or what it may be, so that TypeScript can guess which was meant. */
type CheckName<Name, All> = Name extends string ? (string extends Name ? Name : Name extends All ? Name : All) : string

type CheckState<State, All> = [All] extends [never]
  ? Say<"SEQ808", { where: "`states`"; what: `state \`${State & string}\`` }>
  : CheckName<State, All>

type CheckRequirement<Tools, Required> = Required extends { readonly tool: infer Name; readonly same: infer Same }
  ? {
      readonly tool: CheckName<Name, keyof Tools & string>
      readonly same: {
        readonly [I in keyof Same]: CheckName<Same[I], Name extends keyof Tools ? ParamIn<Tools[Name]> : string>
      }
    }
  : Required extends { readonly tool: infer Name }
    ? { readonly tool: CheckName<Name, keyof Tools & string> }
    : unknown

type ParamIn<T> = T extends { readonly params: infer Params extends AnySchema } ? NameIn<Params> : string

type CheckRule<Spec extends CatalogSpec, One> = One extends { readonly from: infer From }
  ? { readonly from: { readonly [I in keyof From]: CheckFrom<Spec, From[I]> } }
  : unknown

/** `tool#/pointer`, or `input#/pointer`: where the pointer leads, lint asks. */
type CheckFrom<Spec extends CatalogSpec, From> = From extends string
  ? string extends From
    ? From
    : From extends `${infer Name}#${infer Path}`
      ? Path extends "" | `/${string}`
        ? Name extends (keyof Spec["tools"] & string) | ("inputs" extends keyof Spec ? "input" : never)
          ? From
          : Say<"SEQ808", { where: "`rules`"; what: `tool \`${Name}\`` }>
        : NoPlace<From>
      : NoPlace<From>
  : string

type NoPlace<From extends string> =
  Refuse<`SEQ824: \`rules\` names \`${From}\`, which is no place: write \`tool#/pointer\``>

type CheckUndo<Tools, Undo> = Undo extends { readonly tool: infer Name; readonly args: infer Args }
  ? {
      readonly tool: CheckName<Name, keyof Tools & string>
      readonly args: Name extends keyof Tools ? CheckUndoArgs<Tools[Name], Args> : unknown
    }
  : unknown

type CheckUndoArgs<T, Args> = T extends { readonly params: infer Params extends AnySchema }
  ? string extends NameIn<Params> | keyof Args
    ? unknown
    : { readonly [Name in Needed<Infer<Params>>]: unknown } & {
        readonly [Name in Exclude<keyof Args, NameIn<Params>>]: Say<
          "SEQ808",
          { where: "`compensate`"; what: `the parameter \`${Name & string}\`` }
        >
      }
  : unknown
