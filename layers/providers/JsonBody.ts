/**
 * A request's body as JSON. Half a character, with which a text ends that somebody cut, is replaced as in any other
 * encoding: those who read JSON strictly would refuse the whole request.
 */
export const write = (body: object): string => {
  const json = JSON.stringify(body)
  // JSON writes half a character so, and no other.
  if (!json.includes("\\ud")) return json
  return JSON.stringify(body, (_, value: unknown) => typeof value === "string" ? value.toWellFormed() : value)
}
