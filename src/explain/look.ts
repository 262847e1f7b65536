/** How things are shown: in colour or not, and how wide. */
import { styleText } from "node:util"
import type { Severity } from "../diagnostic/codes.ts"

export interface Look {
  readonly color: boolean
  /** Columns. */
  readonly width: number
}

export const plain: Look = { color: false, width: 120 }

type Format = Parameters<typeof styleText>[0]

export const paint = (look: Look, format: Format, text: string): string =>
  look.color ? styleText(format, text, { validateStream: false }) : text

export const severityFormat: Readonly<Record<Severity, Format>> = {
  error: ["bold", "red"],
  warning: ["bold", "yellow"],
  approval: ["bold", "magenta"],
  notice: ["bold", "blue"],
}
