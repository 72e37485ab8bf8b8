import { once } from "node:events"
import { createServer } from "node:net"

/**
 * Below what systems give to outgoing connections (from 32,768 on Linux, 49,152 elsewhere): a port of theirs that was free when it was
 * asked for may be some client's own when the server starts.
 */
const lowest = 10_000
const highest = 32_000

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    await once(server.listen(port), "listening")
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** A port below `end` on which nobody listens, nor on the `more` after it: a server's workers take those. */
export const free = async (more = 0, end = highest): Promise<number> => {
  for (;;) {
    const first = lowest + Math.floor(Math.random() * (end - lowest))
    const ports = Array.from({ length: more + 1 }, (_, next) => first + next)
    if ((await Promise.all(ports.map(isFree))).every((is) => is)) return first
  }
}
