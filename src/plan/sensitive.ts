/**
 * Secrets in a plan as it is written: where in the arguments of its steps they stand, or will when it runs. A mark travels along
 * references: what takes a marked value is marked too. Asked of documents of any shape, also of those that were refused.
 */
import type { Path } from "../catalog/place.ts"
import { covers, gather, hide, inside, type Marks, membersOf, within } from "../catalog/sensitive.ts"
import { isObject, type Json, type JsonObject } from "../text/json.ts"
import { parsePointer } from "../text/pointer.ts"
import { redacted, type Secrets } from "../text/secrets.ts"
import { type Earlier, noEarlier } from "./earlier.ts"

/** A document read for its secrets. */
export class Written {
  readonly #document: Json
  readonly #steps: readonly WrittenStep[]
  readonly #given: Given

  constructor(document: Json, marks: Marks, earlier: Earlier = noEarlier) {
    this.#document = document
    const steps = stepsIn(document)
    const tools = new Map(steps.map(({ id, tool }) => [id, tool]))
    // No id of a step has a slash.
    for (const [source, { tool }] of Object.entries(earlier)) tools.set(source, tool)
    this.#given = (source) => (source === "input" ? marks.inputs : marks.of(tools.get(source) ?? "").result)
    this.#steps = steps.map(({ id, tool, args }) => ({
      id,
      args,
      marked: args === undefined ? [] : [...marks.of(tool ?? "").args, ...taken(args, [], this.#given)],
    }))
  }

  /** Where secrets stand in the arguments of each step. */
  get places(): readonly (readonly Path[])[] {
    return this.#steps.map(({ marked }) => marked)
  }

  /** Secrets that the plan itself spells out: at marked places, and where a marked value is compared with them. */
  gather(secrets: Secrets): void {
    for (const { args, marked } of this.#steps) {
      if (args === undefined) continue
      gatherLiterals(args, marked, secrets)
      gatherCompared(args, this.#given, secrets)
    }
  }

  /** Where the document spells them out at marked places. */
  get literals(): readonly Path[] {
    return this.#steps.flatMap(({ args, marked }, index) =>
      args === undefined ? [] : literalsIn(args, marked, ["steps", `${index}`, "args"]),
    )
  }

  /** The document without them. */
  hide(secrets: Secrets): Json {
    const document = this.#document
    if (!isObject(document) || !Array.isArray(document.steps)) return secrets.scrubJson(document)
    const steps = document.steps.map((step: Json, index) =>
      isObject(step) && step.args !== undefined
        ? { ...step, args: hideWritten(step.args, this.places[index] ?? []) }
        : step,
    )
    return secrets.scrubJson({ ...document, steps })
  }
}

interface WrittenStep {
  readonly id: Json | undefined
  readonly args: Json | undefined
  readonly marked: readonly Path[]
}

function stepsIn(document: Json): readonly { readonly id?: Json; readonly tool?: string; readonly args?: Json }[] {
  const steps = isObject(document) ? document.steps : undefined
  if (!Array.isArray(steps)) return []
  return steps.map((step: Json) => {
    if (!isObject(step)) return {}
    const { id, tool, args } = step
    return {
      ...(id === undefined ? {} : { id }),
      ...(typeof tool === "string" ? { tool } : {}),
      ...(args === undefined ? {} : { args }),
    }
  })
}

type Given = (source: string) => readonly Path[]

/** Where in an expression a marked value is taken. */
function taken(written: Json, at: Path, given: Given): readonly Path[] {
  if (!isObject(written)) return Array.isArray(written) ? takenInside(written, at, given) : []
  if ("$literal" in written) return []
  if ("$concat" in written) return takenInside(written.$concat ?? null, [], given).length > 0 ? [at] : []
  if (typeof written.$from !== "string") return takenInside(written, at, given)
  const marked = given(written.$from)
  const place = [...pathIn(written.path), ...("where" in written ? ["0", ...pathIn(written.pick)] : [])]
  return covers(marked, place) ? [at] : within(marked, place).map((rest) => [...at, ...rest])
}

const takenInside = (written: Json, at: Path, given: Given): readonly Path[] =>
  membersOf(written).flatMap(([key, inner]) => taken(inner, [...at, key], given))

const pathIn = (pointer: Json | undefined): Path => (typeof pointer === "string" ? (parsePointer(pointer) ?? []) : [])

function gatherLiterals(written: Json, paths: readonly Path[], secrets: Secrets): void {
  if (paths.length === 0) return
  if (isObject(written) && "$literal" in written) {
    gather(written.$literal ?? null, paths, secrets)
    return
  }
  if (isExpression(written)) {
    // Parts beside a reference are a scheme or a separator; all of them together are a literal.
    const parts = isObject(written) ? written.$concat : undefined
    if (Array.isArray(parts) && !parts.some(isObject)) secrets.add(parts.join(""))
    return
  }
  const here = paths.some((path) => path.length === 0)
  const members = membersOf(written)
  if (here && members.length === 0) secrets.add(written)
  for (const [key, inner] of members) gatherLiterals(inner, here ? [[]] : inside(paths, key), secrets)
}

function literalsIn(written: Json, paths: readonly Path[], at: Path): readonly Path[] {
  if (paths.length === 0 || isReference(written)) return []
  if (isObject(written) && "$literal" in written) return placesIn(written.$literal ?? null, paths, [...at, "$literal"])
  const here = paths.some((path) => path.length === 0)
  if (isExpression(written)) return here ? [at] : []
  const members = membersOf(written)
  if (here && members.length === 0) return [at]
  return members.flatMap(([key, inner]) => literalsIn(inner, here ? [[]] : inside(paths, key), [...at, key]))
}

const placesIn = (value: Json, paths: readonly Path[], at: Path): readonly Path[] =>
  paths.some((path) => path.length === 0)
    ? [at]
    : membersOf(value).flatMap(([key, inner]) => placesIn(inner, inside(paths, key), [...at, key]))

function gatherCompared(written: Json, given: Given, secrets: Secrets): void {
  if (!isObject(written)) {
    for (const [, inner] of membersOf(written)) gatherCompared(inner, given, secrets)
    return
  }
  if ("$literal" in written) return
  const { $from: source, path, where } = written
  if (typeof source === "string" && isObject(where ?? null)) {
    for (const [pointer, value] of membersOf(where ?? null))
      if (!isExpression(value) && covers(given(source), [...pathIn(path), "0", ...pathIn(pointer)])) secrets.add(value)
    return
  }
  for (const [, inner] of membersOf(written)) gatherCompared(inner, given, secrets)
}

const isExpression = (written: Json): boolean =>
  isObject(written) && Object.keys(written).some((key) => key.startsWith("$"))

/** A reference says where a secret comes from, and may be shown; what else stands there may not. */
const isReference = (written: Json): boolean =>
  isObject(written) && "$from" in written && Object.keys(written).every((key) => key === "$from" || key === "path")

/** Arguments as they are written, without the secrets in them: also those of which some are not known yet. */
export function hideWritten(args: Json, paths: readonly Path[]): Json {
  if (paths.length === 0 || isReference(args)) return args
  if (paths.some((path) => path.length === 0)) {
    const inner = isObject(args) && !isExpression(args) ? args : undefined
    return inner === undefined ? redacted : hideMembers(inner, () => [[]])
  }
  if (isObject(args) && "$literal" in args) return { ...args, $literal: hide(args.$literal ?? null, paths) }
  if (isExpression(args)) return args
  if (Array.isArray(args)) return args.map((item: Json, index) => hideWritten(item, inside(paths, `${index}`)))
  return isObject(args) ? hideMembers(args, (key) => inside(paths, key)) : args
}

const hideMembers = (args: JsonObject, pathsFor: (key: string) => readonly Path[]): JsonObject =>
  Object.fromEntries(Object.entries(args).map(([key, inner]) => [key, hideWritten(inner, pathsFor(key))]))
