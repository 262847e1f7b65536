/** A place in the text. Lines and columns count from 1 (columns in UTF-16 units, as editors do), offsets from 0. */
export interface Position {
  readonly line: number
  readonly column: number
  readonly offset: number
}

/** From the first character to just past the last. */
export interface Range {
  readonly start: Position
  readonly end: Position
}

/** The same as offsets alone: lines and columns are counted only for what is told. */
export interface Span {
  readonly start: number
  readonly end: number
}
