import type { HttpRouter } from "effect/http"

/** The segments of a route's path, each parameter as the caller wrote it. */
export const filled = (
  path: string,
  params: HttpRouter.RouteContext["Service"]["params"]
): ReadonlyArray<string> =>
  path.split("/").filter((segment) => segment !== "").map((segment) =>
    segment.startsWith(":") ? params[segment.slice(1)] ?? "" : segment
  )
