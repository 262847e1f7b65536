/**
 * Where the real compiler does other than DESIGN.md says, as the naive one reads it. While a line here is true the naive
 * one does as the real one; mend the real one, and set it to false, or take it out.
 */
export const departures = {
  /** Of two steps that each pass a limit only the first is told, and no step after the total has passed it. */
  oneBlastFaultPerDimension: true,
  /** An integer or null, at most 3, is taken to be as large as the parameter allows, though null never comes to count. */
  nullableSourceIsUnbounded: false,
  /** A fault at `{"$literal": [1]}` is placed at `/0`, where nothing is, and not at `/$literal/0`. */
  placesInsideLiteral: true,
  /** A fault of a path that is not written is placed at `/path`, where nothing is, and not at the expression. */
  placeOfUnwrittenPath: false,
  /**
   * An undeclared field of an open result, which is to be out of reach, is taken to be what a parameter may need when the
   * whole result is given to it.
   */
  undeclaredFieldsReach: true,
}
