/** The rules of `src/typed`, each with a way to drop or to bend it: a text of its file, and what is written there instead. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are texts of types

export interface Mutant {
  readonly rule: string
  readonly file: string
  readonly from: string
  readonly to: string
}

type Row = readonly [rule: string, from: string, to: string]

const of = (file: string, rows: readonly Row[]): readonly Mutant[] =>
  rows.map(([rule, from, to]) => ({ rule, file, from, to }))

/** What plans are asked: generated plans tell, those of `plans/invalid`, or those of the tests. */
export const planRules: readonly Mutant[] = [
  ...of("reference.ts", [
    ["references to later steps pass", 'true extends IsBefore<At, S["at"]>', "true extends true"],
    ["references to unknown steps pass", 'S["plan"]["open"] extends true', "true extends true"],
    [
      "references to transitions pass",
      'Fault<"$from", Say<"SEQ204", { step: Id; transition: Source }>>',
      "Found<unknown>",
    ],
    ["there are always inputs", 'Fault<"", Say<"SEQ210", { step: S["id"] }>>', "Found<unknown>"],
    ["`pick` needs no `where`", 'Fault<"pick", Refuse<"SEQ131: `pick` needs `where`">>', "Found<unknown>"],
    [
      "paths may lead nowhere",
      "End extends Lost<infer Place, infer Why>",
      "End extends Lost<infer Place, infer Why> & 1",
    ],
    ["a path may be any text", 'Fault<Field, Say<"SEQ132", { pointer: Path }>>', "Found<unknown>"],
    ["`where` may be empty", "[IsNothing<Where>] extends [true]", "[IsNothing<Where>] extends [never]"],
    ["`where` may be no object", "[Where] extends [Scalar | readonly unknown[]]", "[Where] extends [never]"],
    [
      "`where` may stand beside what is no list",
      "[Item] extends [never]",
      "[Item] extends [never]\n  ? Found<unknown>\n  : [Item] extends [never]",
    ],
    ["`where` may compare what is never equal", "CouldBe<A, Declared> extends true", "true extends true"],
    ["`where` may compare with any reference", "CouldBe<Value, Declared> extends true", "true extends true"],
    [
      "`where` may compare with any expression",
      "\n            ? HoldsRead<A> extends true",
      "\n            ? HoldsRead<A> extends never",
    ],
    ["`where` needs no declared result", "Value extends Undeclared\n    ? Fault", "Value extends never\n    ? Fault"],
    ["whatever is read is right at first sight", "? CouldBe<Value, T> : false", "? true : false"],
    [
      "every step is earlier at first sight",
      "Spot<Earlier<Place<I>>, infer Name extends string>",
      "Spot<string, infer Name extends string>",
    ],
  ]),
  ...of("value.ts", [
    ["optional values are always there", ', "optional">', ', "absent"> | Found<Inner>'],
    ["an optional parameter is needed", "IsOptional<T, Key> extends true ? never : Key", "Key"],
    ["what may fit does not", "[Meet<Given, Asked>] extends [never]", "true extends true"],
    ["what does not fit may", "? false\n      : true\n    : [Meet", "? true\n      : true\n    : [Meet"],
    ["an array has any index", "`${Index}` extends Token", "string extends string"],
    ["escapes are not read", "`1${infer After}`", "`2${infer After}`"],
  ]),
  ...of("arguments.ts", [
    ["nothing is needed", "[Needed<O>] extends [keyof A]", "true extends true"],
    ["unknown parameters pass", 'Say<"SEQ121", { tool: S["tool"]; argument: Below<Path, Key> }>', "Value"],
    ["scalars fit anywhere", "[EachCouldBe<A, T>] extends [true]", "true extends true"],
    ["fractions are integers", 'Path extends S["integers"]', "Path extends never"],
    ["unknown `$` keys pass", 'Say<"SEQ130", { key: Key }>', "A[Key]"],
    ["`$from` has any field", 'NoField<"`$from` has no field", Key>', "A[Key]"],
    ["`$concat` stands with others", 'NoField<"`$concat` stands alone, without", Key>', "A[Key]"],
    ["`$literal` stands with others", 'NoField<"`$literal` stands alone, without", Key>', "A[Key]"],
    ["any reference fits", "CouldBe<Value, T> extends true\n      ? A", "true extends true\n      ? A"],
    ["`$concat` joins anything", "CouldBe<Value, string | number | boolean> extends true", "true extends true"],
    ["`$concat` joins null", "Part extends null\n  ? false", "Part extends null\n  ? true"],
    ["`$concat` in `$concat` joins anything", 'CheckForm<S, "", string, Part>', "Part"],
    ["`$literal` fits anywhere", "[EachCouldBe<Value, T>] extends [true]", "true extends true"],
  ]),
  ...of("flow.ts", [
    ["nothing must be stated", "{ readonly mustState: true }", "{ readonly mustState: 1 }"],
    [
      "what is made here comes from anywhere",
      "? Rule extends { readonly from: readonly string[] }",
      "? Rule extends never",
    ],
    ["what is read comes from anywhere", "true extends IsFrom<From, Giver, Place>", "true extends true"],
    ["any place of the right tool will do", "? Matches<Pattern, Place>", "? true"],
    [
      "untrusted data may go anywhere",
      "Rule extends { readonly trusted: true } ? Untrusted",
      "Rule extends never ? Untrusted",
    ],
    ["private data may go anywhere", "Rule extends { readonly public: true } ? Hidden", "Rule extends never ? Hidden"],
    ["only whole results are labelled", "true extends Overlap<", "Overlap<"],
    ["rules are about parameters alone", "? RuleOn<Rest, Rule>", "? never"],
    [
      "what is chosen is not labelled by what chose it",
      "A extends { readonly where: infer Where }\n    ? {",
      "A extends never & { readonly where: infer Where }\n    ? {",
    ],
    ["what is joined has no label", '`${S["id"]}.$concat ← ${TrailOfRead<S, Label, Part>}`', "never"],
  ]),
  ...of("order.ts", [
    ["ids may be used twice", '[C["spots"][Id]["at"]] extends [Place<I>]', "true extends true"],
    ["ids may be kept words", '  | "toJSON"', '  | "other"'],
    ["ids begin with anything", "[First] extends [Letter]", "true extends true"],
    ["ids have any letters", "[B | C | D | E | F | G | H] extends [LetterOrDigit]", "true extends true"],
    [
      "ids may be of any length",
      "Left extends readonly [unknown, ...infer Fewer]",
      "Left extends infer Fewer extends readonly unknown[]",
    ],
    ["`after` names later steps", "true extends IsBefore<At, Place<I>>", "true extends true"],
    ["`after` names transitions", "Kind extends `>${string}`", "Kind extends never"],
    ["`after` names unknown steps", 'C["open"] extends true', "true extends true"],
  ]),
  ...of("call.ts", [
    ["any tool may be called", ': Tool\n    : C["toolNames"]', ": Tool\n    : Tool"],
    ["a tool may be an object", "Tool extends object", "Tool extends never"],
    ["`args` may be an expression", "[Extract<keyof Args, `$${string}`>] extends [never]", "true extends true"],
    ["what is unknown is known", '[keyof Args] extends [F["known"]]', "[keyof Args] extends [unknown]"],
    ["nothing is needed at first sight", '[F["needed"]] extends [keyof Args]', '[F["needed"]] extends [unknown]'],
    ["any number is whole at first sight", "`${A}` extends `${bigint}`", "`${A}` extends string"],
    ["a step outside its states passes", "I extends keyof Faults ? Faults[I] : Right", "Right"],
  ]),
  ...of("tools.ts", [
    ["any scalar is right at first sight", "Extract<Takes[Key], ", "Extract<Scalar, "],
    [
      "what counts may be a fraction",
      'readonly integers: IntegersOf<T["params"]> | CountedIn<T>',
      "readonly integers: never",
    ],
  ]),
  ...of("fields.ts", [
    ["zod's integers are numbers", '"safeint" | "int32" | "uint32"', "never"],
    ["TypeBox's integers are numbers", 'Schema extends { readonly type: "integer" }', "Schema extends never"],
  ]),
  ...of("plan.ts", [
    ["a plan has any field", "[Exclude<keyof Plan, keyof PlanLiteral>] extends [never]", "true extends true"],
    ["a step has any field", "[keyof Step] extends [Field]", "true extends true"],
    ["a step may be a call and a transition", "Step extends Call & Transition", "Step extends never"],
    ["a step occurs as often as one likes", '`-${string}` | `${string}.${string}` | "0"', "never"],
  ]),
  ...of("machine.ts", [
    [
      "a state is left at a call",
      "Road<State, Name extends Called ? Called : Called | Name, Faults>",
      "Road<string, Name extends Called ? Called : Called | Name, Faults>",
    ],
    [
      "a tool may be called in any state",
      'State extends (string extends State ? string : C["tools"][Name]["states"][number])',
      "true extends true",
    ],
    ["every transition is declared", "To extends keyof M", "unknown extends unknown ? true : To extends keyof M"],
    ["every state is declared", 'To extends M["states"]', "true extends true"],
    ["there is always a machine", 'M["declared"] extends true', "true extends true"],
    ["no predecessor is called", "Name extends Called ? Called : Called | Name, Faults>", "Called, Faults>"],
    ["every predecessor is called", '[C["tools"][Name]["requires"]] extends [Called]', "true extends true"],
  ]),
  ...of("sum.ts", [
    ["a limit met exactly is passed", "SoFar = false", "SoFar = true"],
    ["carries are lost", 'Carry extends "0"', "Carry extends string"],
    [
      "the lesser digit is the greater",
      "One extends Below[Other] ? false : true",
      "One extends Below[Other] ? true : false",
    ],
  ]),
  ...of("blast.ts", [
    ["every cost is far from the limit", "extends [never]\n      ? true", "extends [unknown]\n      ? true"],
    ["one step may pass a limit", "IsMore<Cost & string, Max & string> extends true", "false extends true"],
    ["all together may pass a limit", "I extends At", "I extends never"],
    ["constants count nothing", ': Counts[Name]\n    : ""', ': ""\n    : ""'],
    ["lists count nothing", "? `${Length}`", '? ""'],
  ]),
]

/** What catalogs and the builder are asked, and what is known of a plan: the tests of `test/typed` tell, compiled by tsc. */
export const otherRules: readonly Mutant[] = [
  ...of("flow.ts", [
    ["any tool will do", "Name extends Giver", "true extends true"],
    ["an object that is left out needs no statement", "? Unescape<First>", "? never"],
    ["a list that is left out needs one", '"//" | `${string}/*/${string}`', '"//"'],
  ]),
  ...of("value.ts", [["nothing is to come", "[A] extends [never] ? true : false", "false"]]),
  ...of("arguments.ts", [
    ["a value is known", "IsToCome<A> extends false ? CheckKnown<S, Path, T, A> : A", "CheckKnown<S, Path, T, A>"],
    [
      "what a reference leads to is known",
      "IsToCome<Verdict> extends false ? CheckVerdict<S, Path, T, A, Verdict> : A",
      "CheckVerdict<S, Path, T, A, Verdict>",
    ],
    ["a part is known", "IsToCome<Part> extends false ? CheckKnownPart<S, Part> : Part", "CheckKnownPart<S, Part>"],
    [
      "a literal is known",
      "IsToCome<Value> extends false ? ([EachCouldBe<Value, T>] extends [true] ? A : T) : A",
      "[EachCouldBe<Value, T>] extends [true] ? A : T",
    ],
  ]),
  ...of("call.ts", [["what is counted is known", "IsToCome<Passes[keyof Passes]> extends false", "true extends true"]]),
  ...of("flow.ts", [
    ["what has a rule is known", "IsToCome<ScalarsOf<Args[Key]> | null> extends false", "true extends true"],
  ]),
  ...of("order.ts", [["what is waited for is known", "IsToCome<After[K]> extends false", "true extends true"]]),
  ...of("plan.ts", [
    ["a plan is known", "IsToCome<Plan> extends false", "true extends true"],
    ["a list of steps is known", "IsToCome<Steps | Steps[number]> extends false", "true extends true"],
    ["ids, tools and arguments are known", "IsToCome<HeadsOf<Steps>> extends false", "true extends true"],
    [
      "what a plan counts is known",
      "IsToCome<NearLimits<C, Steps, LimitsOf<Spec>> | null> extends false",
      "true extends true",
    ],
  ]),
  ...of("reference.ts", [["what is compared is known", "IsToCome<A> extends false", "true extends true"]]),
  ...of("builder.ts", [
    ["an id is known", "IsToCome<Id> extends false", "true extends true"],
    ["a tool is known", "IsToCome<Tool> extends false", "true extends true"],
    ["a state is known", "IsToCome<To> extends false", "true extends true"],
    ["arguments are known", "IsToCome<Id | Tool | Args> extends false", "true extends true"],
  ]),
  ...of("names.ts", [
    ["`same` names any parameter", "readonly same?: readonly NameIn<Params>[]", "readonly same?: readonly string[]"],
    ["`rules` names any parameter", "[Name in NameIn<Params> | `/${string}`]?: Rule", "[name: string]: Rule"],
    ["`once` names any parameter", "readonly by: readonly PlaceIn<NameIn<Params>>[]", "readonly by: readonly string[]"],
    ["`blast` counts any parameter", "Name extends NameIn<Params>\n      ? Kind", "true extends false\n      ? Kind"],
    [
      "`blast` counts what may be left out",
      "[Value] extends [Kind]\n    ? Cost",
      "[Value] extends [unknown]\n    ? Cost",
    ],
    ["`compensate` reads any path", "End extends Lost<string, infer Why>", "End extends Lost<string, infer Why> & 1"],
    ["`compensate` reads any text", "End extends IllFormed", "End extends never"],
    ["a machine begins anywhere", "{ readonly initial: StatesOf<Transitions> }", "MachineSpec"],
    [
      "`states` names any state",
      "[I in keyof States]: CheckState<States[I], StatesIn<Spec>>",
      "[I in keyof States]: States[I]",
    ],
    [
      "`requires` names any tool",
      "readonly tool: CheckName<Name, keyof Tools & string> }\n    : unknown",
      "readonly tool: Name }\n    : unknown",
    ],
    [
      "`same` names any parameter of the other tool",
      "Name extends keyof Tools ? ParamIn<Tools[Name]> : string",
      "string & Same[I]",
    ],
    ["`from` names any tool", 'Say<"SEQ808", { where: "`rules`"; what: `tool \\`${Name}\\`` }>', "From"],
    ["`from` is any text", "NoPlace<From>\n      : NoPlace<From>", "From\n      : From"],
    ["`compensate` gives any parameter", "Exclude<keyof Args, NameIn<Params>>", "never"],
    ["`compensate` needs no parameter", "[Name in Needed<Infer<Params>>]: unknown", "[Name in never]: unknown"],
  ]),
  ...of("builder.ts", [
    [
      "a builder's tools may be called in any state",
      "State extends StatesOf<Spec, State, Tool>\n      ? [Tools",
      "true extends true\n      ? [Tools",
    ],
    [
      "a builder's tools need no predecessor",
      '[Tools<Spec>[Tool]["requires"]] extends [Called]\n        ? Tool\n        : Say',
      "true extends true\n        ? Tool\n        : Say",
    ],
    ["a builder goes to any state", 'To extends TargetsOf<M["transitions"], State, M["states"]>', "true extends true"],
    ["a builder stays in its state", "Increment<Next>,\n        To,", "Increment<Next>,\n        State,"],
    ["a builder forgets what was called", "Called | Tool\n", "Called\n"],
    ["a builder takes any arguments", "? CheckArgs<Spec, Here<Spec, Ids, Names, Id>, Next, Id, Tool, Args>", "? Args"],
    [
      "a builder waits for anything",
      "readonly after?: CheckAfter<",
      "readonly after?: readonly string[] | CheckAfter<",
    ],
  ]),
  ...of("states.ts", [
    ["a transition leads nowhere", 'Move extends "" ? State', "Move extends string ? State"],
    ["the first ten steps are all", "[...Done, State]\n    >", "Done\n    >"],
  ]),
  ...of("totals.ts", [
    ["what is read counts nothing", "? Args[Parameter]\n", "? Args[Parameter] & 0\n"],
    ["a total is what the last ten count", 'AddTen<Costs, Tens, "0", SoFar>>', 'AddTen<Costs, Tens, "0", "">>'],
  ]),
  ...of("results.ts", [
    ["a step that may be one of two has a result", 'Word<Id> extends "?" ? never : Id', "Id"],
    ["a list of any length is known", 'number extends Steps["length"]', "never extends Steps"],
  ]),
  ...of("written.ts", [
    ["no step's effect is known", 'Spec["tools"][Tool]["effect"]', "EffectClass"],
    ["a step's state after it is that before", "readonly after: To\n", "readonly after: State\n"],
    ["any id is a step's", "? IdIn<StepIn<Literal>>", "? string"],
  ]),
]
