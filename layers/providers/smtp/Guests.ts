/** Servers that are remembered at a time. */
const most = 200

/**
 * Something of each server that messages name, made when it is first asked for. Of more than `most` servers, the one that
 * was not named for longest is forgotten: what is under way with it goes on, and whoever names it next begins anew.
 */
export const make = <A>(make: () => A): (server: string) => A => {
  const known = new Map<string, A>()
  return (server) => {
    const one = known.get(server) ?? make()
    // A map keeps its order: the last is the one that was named last.
    known.delete(server)
    known.set(server, one)
    const [first] = known.keys()
    if (known.size > most && first !== undefined) known.delete(first)
    return one
  }
}
