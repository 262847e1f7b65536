/** What a catalog says of data: what a parameter takes, and how far a result or an input is to be trusted and shown. */
import type { JsonObject } from "../text/json.ts"
import { formatPointer, parsePointer } from "../text/pointer.ts"
import type { CatalogSpec } from "./catalog.ts"
import { type Origin, type Path, pathTo, readOrigin, sayOrigin, sayPath } from "./place.ts"
import type { LabelSpec, ToolSpec } from "./tool.ts"

/** What may stand at one place in the arguments. */
export interface ParameterRule {
  readonly path: Path
  /** The only places that it may come from. Undefined: any. */
  readonly from: readonly Origin[] | undefined
  readonly trusted: boolean
  readonly public: boolean
  readonly mustState: boolean
}

/** Declared labels: the places in a value that hold what nobody here vouches for, or what is not for everybody. */
export interface Labels {
  readonly untrusted: readonly Path[]
  readonly private: readonly Path[]
}

/** Beside a tool's policy: what its arguments and its result mean for the flow of data. */
export interface Flowing {
  readonly rules: readonly ParameterRule[]
  readonly labels: Labels
  /** Its result is free of what its arguments were, because it checks them itself. */
  readonly endorses: { readonly trusted: boolean; readonly public: boolean }
}

export const readFlowing = (spec: ToolSpec): Flowing => ({
  rules: readRules(spec.rules),
  labels: readLabels(spec),
  endorses: { trusted: spec.endorse?.includes("trusted") ?? false, public: spec.endorse?.includes("public") ?? false },
})

/** In one order, however they were declared, without those that say nothing. What is no pointer lint has told. */
function readRules(rules: ToolSpec["rules"]): readonly ParameterRule[] {
  return Object.entries(rules ?? {})
    .flatMap(([parameter, rule]): readonly ParameterRule[] => {
      const path = pathTo(parameter)
      if (path === undefined) return []
      const from = rule.from?.toSorted().flatMap((origin) => readOrigin(origin) ?? [])
      const { trusted = false, public: shown = false, mustState = false } = rule
      const says = from !== undefined || trusted || shown || mustState
      return says ? [{ path, from, trusted, public: shown, mustState }] : []
    })
    .sort((one, other) => (formatPointer(one.path) < formatPointer(other.path) ? -1 : 1))
}

export const readLabels = ({ untrusted, private: hidden }: LabelSpec): Labels => ({
  untrusted: readPlaces(untrusted),
  private: readPlaces(hidden),
})

const readPlaces = (places: LabelSpec["untrusted"] = []): readonly Path[] =>
  places === true ? [[]] : places.flatMap((pointer) => [parsePointer(pointer) ?? []])

export const unlabelled: Labels = { untrusted: [], private: [] }

export const isLabelled = ({ untrusted, private: hidden }: Labels): boolean => untrusted.length + hidden.length > 0

/** As data to be hashed. What is not said is not there, so that catalogs which say nothing of data keep their hashes. */
export function flowSlice({ rules, labels, endorses }: Flowing): JsonObject {
  const kept = [...(endorses.trusted ? ["trusted"] : []), ...(endorses.public ? ["public"] : [])]
  return {
    ...(rules.length === 0
      ? {}
      : { rules: Object.fromEntries(rules.map((rule) => [sayPath(rule.path), ruleSlice(rule)])) }),
    ...labelSlice(labels),
    ...(kept.length === 0 ? {} : { endorse: kept }),
  }
}

export const ruleSlice = ({ from, trusted, public: shown, mustState }: ParameterRule): JsonObject => ({
  ...(from === undefined ? {} : { from: from.map(sayOrigin) }),
  ...(trusted ? { trusted } : {}),
  ...(shown ? { public: shown } : {}),
  ...(mustState ? { mustState } : {}),
})

export const labelSlice = ({ untrusted, private: hidden }: Labels): JsonObject => ({
  ...(untrusted.length === 0 ? {} : { untrusted: untrusted.map(formatPointer).sort() }),
  ...(hidden.length === 0 ? {} : { private: hidden.map(formatPointer).sort() }),
})

export const readInputLabels = ({ inputLabels }: CatalogSpec): Labels =>
  inputLabels === undefined ? unlabelled : readLabels(inputLabels)
