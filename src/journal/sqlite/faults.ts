/** What is wrong with a file, whatever its entries say. */
import { DatabaseSync } from "node:sqlite"
import { create } from "./schema.ts"

/**
 * Broken pages, an index that says something else than its table; and tables that are declared in another way than they were: a
 * trigger that was altered lets entries be altered.
 */
export function findFaults(db: DatabaseSync): readonly string[] {
  const said = db.prepare("PRAGMA integrity_check(100)").all()
  const faults = said.map(({ integrity_check: one }) => String(one)).filter((one) => one !== "ok")
  declared ??= declare()
  return declarationsIn(db) === declared ? faults : [...faults, "its tables are not declared as they were"]
}

let declared: string | undefined

function declare(): string {
  const db = new DatabaseSync(":memory:")
  try {
    create(db)
    return declarationsIn(db)
  } finally {
    db.close()
  }
}

const declarationsIn = (db: DatabaseSync): string =>
  JSON.stringify(db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").all())
