/**
 * Caches the last few results by the identity of the arguments: the messages of a fan-out come one after the other and
 * share their content.
 */
export const recent = <Parts extends ReadonlyArray<unknown>, A>(
  entries: number,
  make: (...parts: Parts) => A
): (...parts: Parts) => A => {
  const kept: Array<{ readonly parts: Parts; readonly made: A }> = []
  let next = 0
  return (...parts) => {
    const known = kept.find((one) => one.parts.every((part, n) => part === parts[n]))
    if (known !== undefined) return known.made
    const made = make(...parts)
    kept[next] = { parts, made }
    next = (next + 1) % entries
    return made
  }
}
