/** How many characters a regular expression speaks of, counted repetitions written out: what checking it depends on. */
export function patternSize(source: string): number {
  const groups: number[] = []
  let whole = 0
  let last = 0
  let at = 0
  const add = (size: number): void => {
    whole += size
    last = size
  }
  while (at < source.length) {
    const token = /^(?:\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|.)/s.exec(source.slice(at, at + 5_000))
    const [text = " ", from, to] = token ?? []
    at += text.length
    if (text === "(") {
      groups.push(whole)
      whole = 0
    } else if (text === ")") {
      const inside = whole
      whole = groups.pop() ?? 0
      add(inside)
    } else if (from !== undefined) {
      whole += last * (Math.max(Number(from), Number(to ?? 0), 1) - 1)
      last = 0
    } else if (!"|^$?*+".includes(text)) add(1)
  }
  return groups.reduce((sum, size) => sum + size, whole)
}
