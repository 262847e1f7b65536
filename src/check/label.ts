/**
 * How far a value is to be trusted, and who may see it: two labels that only ever go up as values are joined. A label says
 * why, so that a refusal can show the way that it took; as labels, two whys are one.
 */

/** Each is undefined at the bottom, where a value is trusted, or public. */
export interface Label<Why = true> {
  readonly untrusted: Why | undefined
  readonly private: Why | undefined
}

/** What joins with any label to that label. */
export const clean: Label<never> = Object.freeze({ untrusted: undefined, private: undefined })

/** The least label that is not below either: of a value that comes of both. The first why is kept. */
export function join<Why>(one: Label<Why>, other: Label<Why>): Label<Why> {
  if (isClean(other)) return one
  if (isClean(one)) return other
  return { untrusted: one.untrusted ?? other.untrusted, private: one.private ?? other.private }
}

/** The greatest label that is not above either: of a value that stands in both places by itself. */
export const meet = <Why>(one: Label<Why>, other: Label<Why>): Label<Why> => ({
  untrusted: other.untrusted && one.untrusted,
  private: other.private && one.private,
})

/** Whether a value so labelled may be where a value of the other label may. */
export const isBelow = (one: Label<unknown>, other: Label<unknown>): boolean =>
  (one.untrusted === undefined || other.untrusted !== undefined) &&
  (one.private === undefined || other.private !== undefined)

export const isClean = (label: Label<unknown>): boolean => isBelow(label, clean)

/** What a value is after the host's own check of it. */
export const endorse = <Why>(label: Label<Why>, kept: { readonly trusted: boolean; readonly public: boolean }) => ({
  untrusted: kept.trusted ? undefined : label.untrusted,
  private: kept.public ? undefined : label.private,
})
