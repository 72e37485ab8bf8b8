/**
 * The runtime's code for a fault (`ECONNRESET`), or else the error's name; never its message, which quotes addresses
 * and values.
 */
export const faultCode = (error: unknown): string =>
  error instanceof Error
    ? "code" in error && typeof error.code === "string" ? error.code : error.name
    : "Error"
