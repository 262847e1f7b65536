/**
 * Every diagnostic this product can give, in the order a plan meets them.
 * A code is a promise: never renumber one, never reuse a retired one.
 * Hundreds are the gate that speaks: 0 text, 1 document, 2 order, 3 machine, 4 blast, 5 authority, 6 flow, 7 effects,
 * 8 catalog, 9 ours. In `message` and `hint`, names in braces are holes that `diagnose` asks for.
 */
export const codes = {
  SEQ001: {
    severity: "error",
    title: "not JSON",
    message: "not JSON: expected {expected}, found {found}",
    hint: "Write one JSON value (RFC 8259): double quotes, no comments, no trailing commas.",
    why: "A plan is read strictly and never repaired, so that what runs is what was written.",
  },
  SEQ002: {
    severity: "error",
    title: "text cut short",
    message: "the text ends before the JSON does: expected {expected}",
    hint: "Ask for the whole plan again, with a larger output limit; the missing part is never guessed.",
    why: "A planner stopped by its token limit writes a plan that is a prefix of the one it meant.",
  },
  SEQ003: {
    severity: "error",
    title: "key written twice",
    message: "key `{key}` is written twice in one object",
    hint: "Keep one `{key}`.",
    why: "Readers disagree on which of two equal keys counts; money must not depend on that.",
  },
  SEQ004: {
    severity: "error",
    title: "integer too large",
    message: "integer `{written}` is beyond 2^53-1",
    hint: "Use a string if the tool takes one, or a smaller number.",
    why: "JavaScript numbers hold integers exactly only to 9007199254740991.",
  },
  SEQ005: {
    severity: "error",
    title: "number overflows",
    message: "number `{written}` is too large to be held",
    hint: "Write a number below 1.8e308 in size.",
    why: "It would read as infinity, which JSON cannot say.",
  },
  SEQ006: {
    severity: "error",
    title: "number underflows",
    message: "number `{written}` is too small to be told from 0",
    hint: "Write 0, or a number that can be held.",
    why: "A value that silently becomes 0 is not the value that was written.",
  },
  SEQ007: {
    severity: "error",
    title: "ill-formed Unicode",
    message: "`{written}` is a surrogate without its partner",
    hint: "Write the whole character, or leave it out.",
    why: "Different ill-formed strings have the same UTF-8 bytes, and so the same hash.",
  },
  SEQ008: {
    severity: "error",
    title: "hostile key",
    message: "key `{key}` is not allowed in a plan",
    hint: "Remove `{key}`; no tool can have a parameter of that name.",
    why: "Such keys change the prototype of objects in careless code.",
  },
  SEQ009: {
    severity: "error",
    title: "byte-order mark",
    message: "the text begins with a byte-order mark",
    hint: "Write UTF-8 without a byte-order mark.",
    why: "RFC 8259, section 8.1: JSON text carries no byte-order mark.",
  },
  SEQ010: {
    severity: "error",
    title: "text too large",
    message: "the text has more than {max} bytes",
    hint: "Write a shorter plan, or raise `bounds.textBytes` in the catalog.",
    why: "A plan is hostile input; its size is bounded before work is spent on it.",
  },
  SEQ011: {
    severity: "error",
    title: "nested too deep",
    message: "values are nested more than {max} deep",
    hint: "Flatten the plan, or raise `bounds.depth` in the catalog.",
    why: "Deep nesting exhausts the stack of whoever walks it later.",
  },
  SEQ012: {
    severity: "error",
    title: "too many values",
    message: "the document has more than {max} values",
    hint: "Write a smaller plan, or raise `bounds.nodes` in the catalog.",
    why: "A plan is hostile input; its size is bounded before work is spent on it.",
  },
  SEQ013: {
    severity: "error",
    title: "JSON wrapped in text",
    message: "the JSON is wrapped in {how}",
    hint: "Output the bare JSON and nothing around it{option}.",
    why: "Picking JSON out of prose means guessing which part was meant.",
  },
  SEQ014: {
    severity: "error",
    title: "not UTF-8",
    message: "the bytes are not UTF-8",
    hint: "Encode the plan as UTF-8.",
    why: "RFC 8259, section 8.1: JSON exchanged between systems is UTF-8.",
  },
  SEQ015: {
    severity: "error",
    title: "text after the JSON",
    message: "{found} follows the end of the JSON value",
    hint: "Output exactly one JSON value.",
    why: "Taking the first of two documents would be a guess.",
  },
  SEQ016: {
    severity: "error",
    title: "string too long",
    message: "a string has more than {max} bytes",
    hint: "Shorten it, or raise `bounds.stringBytes` in the catalog.",
    why: "A plan is hostile input; its size is bounded before work is spent on it.",
  },
  SEQ017: {
    severity: "error",
    title: "U+0000 in a key",
    message: "key `{key}` has the character U+0000",
    hint: "Remove it from the key.",
    why: "Some stores cannot hold it, and some compare only what stands before it.",
  },
  SEQ018: {
    severity: "error",
    title: "not a plan's text",
    message: "a plan is text or bytes, but this is {found}",
    hint: "Give `compile` a string or a Uint8Array; `definePlan` takes a plan written in code.",
    why: "A parsed value has already lost its doubled keys and its large integers.",
  },
  SEQ019: {
    severity: "error",
    title: "not plain data",
    message: "the plan holds {problem}",
    hint: "Write plain JSON data: strings, finite numbers, booleans, null, arrays and plain objects.",
    why: "A plan is hashed and stored as JSON; what JSON cannot say would be lost.",
  },

  SEQ101: {
    severity: "error",
    title: "wrong shape",
    message: "{field} must be {expected}, but is {found}",
    hint: "Write {expected}.",
    why: "The envelope of a plan is fixed, and nothing in it is coerced.",
  },
  SEQ102: {
    severity: "error",
    title: "missing field",
    message: "{owner} has no `{field}`",
    hint: "Add `{field}`: {expected}.",
    why: "No field of the envelope has a default.",
  },
  SEQ103: {
    severity: "error",
    title: "unknown field",
    message: "{owner} has no field `{field}`",
    hint: "{nearest}",
    advice: "Use only the fields of the plan language.",
    why: "An unknown field is a wish that would go unheard.",
  },
  SEQ104: {
    severity: "error",
    title: "unknown version",
    message: "plan version `{found}` is not known",
    hint: 'Write `"version": 1`.',
    why: "A later version may mean other things by the same words.",
  },
  SEQ105: {
    severity: "error",
    title: "bad step id",
    message: "`{id}` cannot be a step's id: {reason}",
    hint: "Use a letter or `_`, then letters, digits, `_` or `-`, 64 characters at most.",
    why: "Ids are ASCII, so that no two can look alike, and never a name that every object has.",
  },
  SEQ106: {
    severity: "error",
    title: "repeated step id",
    message: "step id `{id}` is used twice",
    hint: "Give this step an id of its own.",
    why: "A reference to `{id}` could mean either.",
  },
  SEQ107: {
    severity: "error",
    title: "unclear kind of step",
    message: "{problem}",
    hint: "Write `tool` with `args` for a call, or `transition` for a change of state.",
    why: "A step does exactly one thing.",
  },
  SEQ108: {
    severity: "error",
    title: "unknown tool",
    message: "there is no tool `{tool}`",
    hint: "{nearest}",
    advice: "Call a tool that the catalog lists.",
    why: "Only what the catalog lists can be called.",
  },
  SEQ109: {
    severity: "error",
    title: "too many steps",
    message: "the plan has {count} steps; the limit is {max}",
    hint: "Split the plan, or raise `bounds.steps` in the catalog.",
    why: "A plan is hostile input; its size is bounded before work is spent on it.",
  },
  SEQ110: {
    severity: "error",
    title: "goal too long",
    message: "`goal` has {length} characters; the limit is {max}",
    hint: "Shorten it.",
    why: "The goal is shown to people who approve.",
  },
  SEQ111: {
    severity: "warning",
    title: "no steps",
    message: "the plan has no steps",
    hint: "Nothing will happen when it runs; is that what was meant?",
    why: "An empty plan is often a planner that gave up.",
  },
  SEQ120: {
    severity: "error",
    title: "missing argument",
    message: "`{tool}` needs `{argument}`",
    hint: "Add `{argument}`: {expected}.",
    why: "Nothing is filled in: what a tool is called with is what the plan says.",
  },
  SEQ121: {
    severity: "error",
    title: "unknown argument",
    message: "`{tool}` has no parameter `{argument}`",
    hint: "{nearest}",
    advice: "Use only the parameters that the tool declares.",
    why: "An unknown argument is a wish that would go unheard.",
  },
  SEQ122: {
    severity: "error",
    title: "argument of the wrong type",
    message: "`{argument}` of `{tool}` must be {expected}, but is {found}",
    hint: "Write {expected}; nothing is converted.",
    why: "A string that looks like a number is not a number.",
  },
  SEQ123: {
    severity: "error",
    title: "argument out of range",
    message: "`{argument}` of `{tool}` must be {expected}, but is {found}",
    hint: "Write {expected}.",
    why: "The tool's own schema says what it takes.",
  },
  SEQ124: {
    severity: "error",
    title: "argument refused by the tool's schema",
    message: "`{argument}` of `{tool}` is refused by its schema: {said}",
    hint: "Write a value that the tool's schema accepts.",
    why: "The author's own validator is always the judge.",
  },
  SEQ130: {
    severity: "error",
    title: "unknown expression",
    message: "`{key}` is no expression",
    hint: 'Known expressions: `$from`, `$concat`, `$literal`. Wrap data with such a key in `{"$literal": …}`.',
    why: "A key that begins with `$` is kept for the plan language, so that later forms never change an old plan.",
  },
  SEQ131: {
    severity: "error",
    title: "ill-formed expression",
    message: "{problem}",
    hint: "{form}",
    advice: "Write the expression in one of its forms, with no other fields.",
    why: "An expression has exactly the fields it is defined with.",
  },
  SEQ132: {
    severity: "error",
    title: "not a JSON Pointer",
    message: "`{pointer}` is not a JSON Pointer",
    hint: "{suggestion}",
    advice: "Begin with `/`; write each key or index after a `/`.",
    why: "Paths are RFC 6901: each token after a `/`, `~0` for `~`, `~1` for `/`; no brackets, no dots.",
  },
  SEQ133: {
    severity: "error",
    title: "too many parts",
    message: "`$concat` has {count} parts; the limit is {max}",
    hint: "Use fewer parts, or raise `bounds.concatParts` in the catalog.",
    why: "A plan is hostile input; its size is bounded before work is spent on it.",
  },
  SEQ140: {
    severity: "error",
    title: "stale plan",
    message: "the catalog has changed since this plan was compiled: {changed}",
    hint: "Compile the document again and look at what it says now.",
    why: "A plan was accepted under rules that no longer hold.",
  },
  SEQ141: {
    severity: "error",
    title: "altered plan",
    message: "`{part}` of the stored plan is not what its document compiles to",
    hint: "Compile the document again; a stored tree, bound or hash is never trusted.",
    why: "Whoever can write the file could otherwise run what was never checked.",
  },

  SEQ201: {
    severity: "error",
    title: "unknown step",
    message: "step `{step}` refers to `{missing}`, which is no step of this plan",
    hint: "{nearest}",
    advice: "Name an earlier call of the plan, or `input`.",
    why: "A step can only use what an earlier step gave.",
  },
  SEQ202: {
    severity: "error",
    title: "later step",
    message: "step `{step}` refers to `{later}`, which comes after it",
    hint: "Move `{later}` before `{step}`.",
    why: "Order is list order.",
  },
  SEQ203: {
    severity: "error",
    title: "own step",
    message: "step `{step}` refers to itself",
    hint: "Name the earlier step that gives this value.",
    why: "A step's result does not exist before it has run.",
  },
  SEQ204: {
    severity: "error",
    title: "reference to a transition",
    message: "step `{step}` refers to `{transition}`, which is a transition and has no result",
    hint: "Name an earlier call.",
    why: "Only calls give values.",
  },
  SEQ205: {
    severity: "error",
    title: "no such value",
    message: "{source} has no value at `{path}`",
    hint: "{known}",
    advice: "Point at something that the result declares.",
    why: "Only what a result declares can be used.",
  },
  SEQ206: {
    severity: "error",
    title: "value may be absent",
    message: "{source} may leave out `{path}`",
    hint: "Use a value that is always there.",
    why: "A value that is absent by declaration would leave a hole in the arguments.",
  },
  SEQ207: {
    severity: "error",
    title: "value never fits",
    message: "`{argument}` of `{tool}` must be {expected}, but {source} gives {given}",
    hint: "Use a value of the right kind; nothing is converted.",
    why: "No value that the source can give would be accepted.",
  },
  SEQ208: {
    severity: "error",
    title: "missing predecessor",
    message: "`{tool}` requires an earlier `{required}`",
    hint: "Add a `{required}` step before `{step}`.",
    why: "The catalog says what must have happened first.",
  },
  SEQ209: {
    severity: "error",
    title: "predecessor about another thing",
    message: "`{tool}` requires an earlier `{required}` with the same `{parameter}`, but {found}",
    hint: "Use the same `{parameter}` in both steps.",
    why: "What must have happened first must have happened to the same thing.",
  },
  SEQ210: {
    severity: "error",
    title: "no inputs declared",
    message: "step `{step}` refers to `input`, but the catalog declares no inputs",
    hint: "Write the value itself, or use an earlier step.",
    why: "Inputs are what the host hands to a run; this host hands none.",
  },
  SEQ211: {
    severity: "error",
    title: "selection from no array",
    message: "`where` picks from an array, but {source} gives {given}",
    hint: "Point `path` at an array.",
    why: "`where` and `pick` name the one element of an array that matches.",
  },
  SEQ212: {
    severity: "error",
    title: "selection can never match",
    message: "`where` compares `{path}`, which is {declared}, with {wanted}: no element can match",
    hint: "Compare with a value that `{path}` can have.",
    why: "A selection that finds nothing stops the run.",
  },
  SEQ213: {
    severity: "error",
    title: "part cannot be joined",
    message: "`$concat` joins strings, integers and booleans, but {source} gives {given}",
    hint: "Point at a string, an integer or a boolean.",
    why: "Other values have no one text form.",
  },

  SEQ301: {
    severity: "error",
    title: "tool not available here",
    message: "`{tool}` is available in {states}, but the plan is in `{state}` here",
    hint: "{way}",
    advice: "Take a transition to a state in which the tool is available, before the call.",
    why: "The machine says in which state each tool may be called.",
  },
  SEQ302: {
    severity: "error",
    title: "undeclared transition",
    message: "there is no transition from `{from}` to `{to}`",
    hint: "{way}",
    advice: "Go by the transitions that the catalog declares.",
    why: "Only the catalog's transitions can be taken.",
  },
  SEQ303: {
    severity: "error",
    title: "unknown state",
    message: "there is no state `{state}`",
    hint: "{nearest}",
    advice: "Name a state of the catalog.",
    why: "Only the catalog's states exist.",
  },
  SEQ304: {
    severity: "error",
    title: "no machine",
    message: "the catalog has no machine, so there is no state `{state}` to go to",
    hint: "Remove the step `{step}`.",
    why: "Only the catalog's states exist.",
  },

  SEQ401: {
    severity: "error",
    title: "step above a limit",
    message: "step `{step}` may reach {worst} {dimension}; the limit is {max}",
    hint: "Make the step smaller{how}.",
    why: "The worst that a plan can do is bounded before it starts.",
  },
  SEQ402: {
    severity: "error",
    title: "plan above a limit",
    message: "the plan may reach {worst} {dimension} in total{spent}; the limit is {max}",
    hint: "It passes the limit at step `{step}`; do less in one plan.",
    why: "The worst that a plan can do is bounded before it starts.",
  },
  SEQ403: {
    severity: "error",
    title: "budget cannot suffice",
    message: "the plan needs {needed} {budget}; the budget is {max}",
    hint: "Do less in one plan, or raise `budgets.{budget}` in the catalog.",
    why: "A run that must stop halfway is better not begun.",
  },

  SEQ404: {
    severity: "error",
    title: "spent that cannot be counted",
    message: "`spent` of `{dimension}` {problem}",
    hint: "{remedy}",
    advice: "Give, for limits of the catalog, what is committed or in doubt, as counts.",
    why: "What was spent before counts against the limit; a number that is no count would switch the limit off.",
  },

  SEQ501: {
    severity: "approval",
    title: "approval needed",
    message: "`{from}` to `{to}` needs approval",
    hint: "The run will wait at `{step}` until a person has decided.",
    why: "The catalog guards this transition.",
  },

  SEQ701: {
    severity: "error",
    title: "same effect twice",
    message: "step `{step}` does the same as `{first}`",
    hint: 'Remove one, or say `"occurrence": {occurrence}` if it is meant to happen again.',
    why: "A repeated effect is a planner's commonest slip, and it costs money twice.",
  },

  SEQ801: {
    severity: "error",
    title: "ill-formed catalog",
    message: "{what} {problem}",
    hint: "{remedy}",
    advice: "Write the catalog as its types say.",
    why: "A catalog that is not understood allows nothing.",
  },
  SEQ802: {
    severity: "error",
    title: "schema that changes values",
    message: "{role} of `{tool}`: {what} at `{where}` {problem}",
    hint: "{remedy}",
    advice: "Take out what changes a value; what a plan says is what the tool gets.",
    why: "A value that is converted, trimmed or filled in is not the value that was checked and approved.",
  },
  SEQ803: {
    severity: "notice",
    title: "object closed",
    message: "{role} of `{tool}`: the object at `{where}` takes no unknown keys",
    hint: "Say so in the schema (`z.strictObject`, `additionalProperties: false`) to silence this notice.",
    why: "A schema that drops or ignores unknown keys would let an argument go unheard; closing it is safe.",
  },
  SEQ804: {
    severity: "error",
    title: "not a schema",
    message: "{role} of `{tool}`: {what} at `{where}` {problem}",
    hint: "Use a zod 4, a TypeBox or a JSON Schema (2020-12 or 7) of JSON values.",
    why: "Without a schema there is nothing to check a plan against.",
  },
  SEQ805: {
    severity: "error",
    title: "unnamed function",
    message: "{role} of `{tool}`: {what} at `{where}` has no name and version",
    hint: "{remedy}",
    advice: 'Name the function: `.refine(named("is-iban", "1", fn))` or `.check(named(…))`.',
    why: "A catalog's hash covers functions by name and version; an unnamed one could change unseen.",
  },
  SEQ806: {
    severity: "error",
    title: "policy not built",
    message: "{where} declares `{policy}`, which this version does not enforce",
    hint: "Remove `{policy}`; a policy is never silently ignored.",
    why: "A rule that is written down but not enforced is worse than none.",
  },
  SEQ807: {
    severity: "error",
    title: "bad tool name",
    message: "`{tool}` cannot be a tool's name",
    hint: "Use letters, digits, `_`, `.`, `-`, 128 characters at most, with an optional `server/` prefix.",
    why: "Names are ASCII, so that no two can look alike.",
  },
  SEQ808: {
    severity: "error",
    title: "unknown name in the catalog",
    message: "{where} names {kind} `{name}`, which does not exist",
    hint: "{nearest}",
    advice: "Name what exists, or declare it.",
    why: "A rule about something that does not exist guards nothing.",
  },
  SEQ809: {
    severity: "error",
    title: "unreachable state",
    message: "no transition leads from `{initial}` to `{state}`",
    hint: "Add a transition to `{state}`, or remove it.",
    why: "Tools of that state could never be called.",
  },
  SEQ810: {
    severity: "error",
    title: "no state for a mutating tool",
    message: "`{tool}` has an effect, but does not say in which states it may be called",
    hint: "Add `states`; only reads may leave it out where there is a machine.",
    why: "An effect that is allowed everywhere makes the machine pointless.",
  },
  SEQ811: {
    severity: "error",
    title: "blast that cannot be bounded",
    message: "blast `{dimension}` of `{tool}` {problem}",
    hint: "{remedy}",
    advice: "Count a required, bounded, non-negative integer or array, or a constant.",
    why: "Blast radius is summed in non-negative safe integers; what has no upper bound cannot be held against a limit.",
  },
  SEQ812: {
    severity: "error",
    title: "effect without an answer",
    message: "`{tool}` has an effect, but says nothing of {what}",
    hint: "{remedy}",
    advice: "Say what may be repeated, and what can be undone.",
    why: "After a crash or a failure somebody must know what may be repeated and what can be undone.",
  },
  SEQ813: {
    severity: "error",
    title: "dimension without a limit",
    message: "`{tool}` counts `{dimension}`, for which the catalog has no limit",
    hint: "Add a limit for `{dimension}` under `blastRadius`, or remove it from the tool.",
    why: "What is counted but not limited protects nobody.",
  },
  SEQ814: {
    severity: "error",
    title: "pattern that may be slow",
    message: "{role} of `{tool}`: {what} at `{where}` {problem}",
    hint: "Write it so that each text can match in one way only; unless it is exponential, a short `maxLength` is enough too.",
    why: "One argument, made for it, would hold up everything else for seconds or for ever.",
  },
  SEQ815: {
    severity: "notice",
    title: "default that nobody fills in",
    message: "{role} of `{tool}`: the `default` at `{where}` is a note: a plan that leaves it out sends nothing",
    hint: "Let the tool itself take its default, or make the parameter required.",
    why: "What a plan says is what the tool gets; whoever wrote the default may expect otherwise.",
  },
  SEQ816: {
    severity: "notice",
    title: "long texts refused",
    message: "{role} of `{tool}`: texts at `{where}` of more than {max} are refused: {what} may take quadratic time",
    hint: "Give the text a `maxLength` of your own, or write the pattern so that each text can match in one way only.",
    why: "A long text, made for it, would hold up everything else for seconds.",
  },

  SEQ901: {
    severity: "error",
    title: "a fault of ours",
    message: "sequitur broke one of its own rules: {what}",
    hint: "Please report it with the plan and the catalog; nothing was accepted.",
    why: "A broken invariant is never caught to go on.",
  },
} as const satisfies Record<`SEQ${number}`, Entry>

export type Severity = "error" | "warning" | "approval" | "notice"

interface Entry {
  readonly severity: Severity
  /** Three to five words. */
  readonly title: string
  /** The fact: lower case, no full stop, backticks round what the author wrote. */
  readonly message: string
  /** The deed. */
  readonly hint: string
  /** Why it matters. */
  readonly why: string
  /** What to do in general, where `hint` can only be said of a given plan. */
  readonly advice?: string
}

export type Codes = typeof codes
export type Code = keyof Codes

/** The names in braces of a template, read by the type checker: "a {b} c {d}" gives "b" | "d". */
export type Holes<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends Word<Name> ? Name : never) | Holes<Rest>
  : never

/** Braces round anything but a word are part of the text, as in `{"$literal": …}`. */
type Word<Name extends string> = Name extends `${string}${" " | '"' | "{" | ":" | "…"}${string}` ? never : Name

/** The parameters one code asks for. Forget one, or invent one, and tsc says so. */
export type Params<C extends Code> = {
  readonly [Name in Holes<Codes[C]["message"] | Codes[C]["hint"]>]: string | number
}
