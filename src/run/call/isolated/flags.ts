/** Which of Node's flags a process hands to those that it begins. */

/** They say what to run or how to look into it, and not how it is run. */
const forOneOnly = /^(-e|-p|-pe|-c|-i|--(eval|print|check|interactive|input-type|inspect|watch|test|run)\b.*)$/u

/** A word without a dash is the value of the flag before it. */
export function passOn(flags: readonly string[]): readonly string[] {
  let kept = true
  return flags.filter((word) => {
    if (word.startsWith("-")) kept = !forOneOnly.test(word)
    return kept
  })
}
