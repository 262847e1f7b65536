/** What is wrong with a value, in one line: the first few misfits, each with its place, and how many more there are. */
import type { Issue } from "../catalog/schema/schema.ts"

const shownMax = 3

export function tellIssues(issues: readonly Issue[], tell: (issue: Issue) => string = tellIssue): string {
  const shown = issues.slice(0, shownMax).map(tell).join("; ")
  const rest = issues.length - shownMax
  return rest > 0 ? `${shown}; and ${rest} more` : shown
}

const tellIssue = ({ at, message }: Issue): string => `at \`${at || "/"}\`: ${message}`
