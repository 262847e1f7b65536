/** A declaration of any origin to one of the right shape: copied, so that later changes to it change nothing. Code: SEQ801. */
import { Kind } from "@sinclair/typebox"
import { diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import { suggest } from "../diagnostic/nearest.ts"
import { copyJson } from "../text/copy-json.ts"
import { child, type Pointer, parsePointer, root } from "../text/pointer.ts"
import type { CatalogSpec, MachineSpec } from "./catalog.ts"
import { CatalogEnvelope } from "./envelope.ts"
import { judgePattern, type Misfit } from "./schema/pattern.ts"
import type { ToolSpec } from "./tool.ts"

export function admitSpec(spec: unknown, faults: Unplaced[]): CatalogSpec | undefined {
  const copied = copyJson(withoutSchemas(spec), { depth: 64, nodes: 1_000_000 })
  if (!copied.ok) {
    const what = copied.at === root ? "the declaration" : `\`${copied.at}\` of the catalog`
    faults.push(
      diagnose("SEQ801", copied.at, { what, problem: `holds ${copied.problem}`, remedy: "Write plain data." }),
    )
    return undefined
  }
  const { value } = copied
  const misfits = judgePattern<never>(CatalogEnvelope, { kind: "literal", at: root, value }, () => undefined)
  for (const misfit of misfits) faults.push(diagnoseMisfit(misfit))
  return misfits.length > 0 ? undefined : withSchemas(value as unknown as CatalogSpec, spec as CatalogSpec)
}

function diagnoseMisfit({ at, kind, expected, found, key, known }: Misfit): Unplaced {
  const place = kind === "missing" ? child(at, key ?? "") : at
  const what = say(place)
  switch (kind) {
    case "missing":
      return diagnose("SEQ801", place, {
        what,
        problem: "is missing",
        remedy: holders.has(key ?? "") ? "Give a zod, TypeBox or JSON Schema." : `Write ${expected}.`,
      })
    case "unknown":
      return diagnose("SEQ801", place, {
        what,
        problem: "is not known",
        remedy: suggest(key ?? "", known ?? [], "fields"),
      })
    default:
      return diagnose("SEQ801", place, {
        what,
        problem: `must be ${expected}, but is ${found}`,
        remedy: `Write ${expected}.`,
      })
  }
}

/** `/tools/pay/effect` is "`effect` of tool `pay`" to its reader. */
function say(at: Pointer): string {
  const [first, name, ...rest] = parsePointer(at) ?? []
  if (first === undefined) return "the declaration"
  if (first === "tools" && name !== undefined)
    return rest.length === 0 ? `tool \`${name}\`` : `\`${rest.join("/")}\` of tool \`${name}\``
  return `\`${[first, ...(name === undefined ? [] : [name]), ...rest].join("/")}\` of the catalog`
}

/** Schemas, formats and predicates hold functions and cannot be copied: a mark stands for each, and what is given `undefined` is left out. */
function withoutSchemas(spec: unknown): unknown {
  if (!isRecord(spec)) return spec
  const plain = mark(spec)
  const { formats, machine, tools } = spec
  if (isTable(machine)) plain.machine = withoutGuards(machine)
  if (isTable(formats)) plain.formats = Object.fromEntries(Object.keys(formats).map((name) => [name, "a format"]))
  // An array, a Map or another instance is no table of tools: it is left for the copy to refuse.
  if (!isTable(tools)) return plain
  const marked = Object.entries(tools).map(([name, tool]) => [name, isRecord(tool) ? mark(tool) : tool])
  return { ...plain, tools: Object.fromEntries(marked) }
}

/** Of a machine, what is asked by code. */
function withoutGuards(machine: Record<string, unknown>): Record<string, unknown> {
  const inEach = (table: unknown, change: (inner: unknown) => unknown): unknown =>
    isTable(table) ? Object.fromEntries(Object.entries(table).map(([name, inner]) => [name, change(inner)])) : table
  const bareGuard = (rule: unknown): unknown =>
    isTable(rule) && (isRecord(rule.guard) || typeof rule.guard === "function")
      ? { ...rule, guard: "a predicate" }
      : rule
  return { ...machine, transitions: inEach(machine.transitions, (targets) => inEach(targets, bareGuard)) }
}

const mark = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, holders.has(key) || isSchema(value) ? "a schema" : bare(key, value)]),
  )

/** Of `authority`, what is asked by code. */
const bare = (key: string, value: unknown): unknown =>
  key === "authority" && isTable(value) && value.when !== undefined ? { ...value, when: "a predicate" } : value

/** Where schemas belong: whatever stands there is looked at by their own front-ends. */
const holders = new Set(["inputs", "params", "result"])

const isSchema = (value: unknown): boolean => isRecord(value) && ("_zod" in value || Kind in value)

const isTable = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

function withGuards(plain: MachineSpec, { transitions }: MachineSpec): MachineSpec {
  const whole = Object.entries(plain.transitions).map(([from, targets]) => [
    from,
    Object.fromEntries(
      Object.entries(targets).map(([to, rule]) => {
        const guard = transitions[from]?.[to]?.guard
        return [to, guard === undefined ? rule : { ...rule, guard }]
      }),
    ),
  ])
  return { ...plain, transitions: Object.fromEntries(whole) }
}

function withSchemas(plain: CatalogSpec, { inputs, formats, machine, tools }: CatalogSpec): CatalogSpec {
  const whole = Object.entries(plain.tools).map(([name, bare]): [string, ToolSpec] => {
    const { params, result, authority } = tools[name] as ToolSpec
    const { when } = authority ?? {}
    return [
      name,
      {
        ...bare,
        params,
        ...(result === undefined ? {} : { result }),
        ...(when === undefined ? {} : { authority: { ...bare.authority, when } }),
      },
    ]
  })
  return {
    ...plain,
    tools: Object.fromEntries(whole),
    ...(inputs === undefined ? {} : { inputs }),
    ...(formats === undefined ? {} : { formats }),
    ...(plain.machine === undefined || machine === undefined ? {} : { machine: withGuards(plain.machine, machine) }),
  }
}
