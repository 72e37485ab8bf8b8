/** The last digits of a trace id, as many as a number holds exactly: chance made them. */
const digits = 13

/**
 * Whether a trace is recorded, where this share of all is (`OTEL_TRACES_SAMPLER`). Its id alone decides, so all
 * processes that work on one request record it or leave it out together, also after a restart.
 */
export const keeps = (share: number) => (traceId: string): boolean =>
  Number.parseInt(traceId.slice(-digits), 16) / 16 ** digits >= 1 - share
