/** A handler as a host writes it: what it says comes from the door of the package. */
import { notApplied } from "sequitur/run"

export const decline = () => {
  throw notApplied("card declined")
}
