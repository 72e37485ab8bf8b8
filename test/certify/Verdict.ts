/** What one scenario came to. Times are ms. */
export interface Verdict {
  readonly scenario: string
  readonly accepted: number
  readonly handedOver: number
  readonly lost: number
  /** Calls beyond the first of a message, and how many there may be: attempts whose outcome nobody knows. */
  readonly duplicates: number
  readonly bound: number
  readonly slowestRecovery: number
  /** How many times longer everything took on this machine for want of a processor (`Machine.slownessFromNow`). */
  readonly slowness: number
  /** Sentences about what broke a promise; none is a pass. */
  readonly breaches: ReadonlyArray<string>
  readonly note?: string
}

/** Why a scenario cannot run on this machine. */
export interface Skipped {
  readonly scenario: string
  readonly skipped: string
}

const heads = [
  "scenario",
  "accepted",
  "handed over",
  "lost",
  "duplicates",
  "bound",
  "slowest recovery",
  "machine",
  "",
  "note"
]

const cells = (verdict: Verdict | Skipped): ReadonlyArray<string> =>
  "skipped" in verdict
    ? [verdict.scenario, "", "", "", "", "", "", "", "not run", verdict.skipped]
    : [
      verdict.scenario,
      ...[verdict.accepted, verdict.handedOver, verdict.lost, verdict.duplicates, verdict.bound].map((count) =>
        count.toLocaleString("en")
      ),
      verdict.slowestRecovery === 0 ? "" : `${(verdict.slowestRecovery / 1_000).toFixed(1)} s`,
      verdict.slowness < 1.5 ? "" : `${verdict.slowness.toFixed(1)} × slower`,
      verdict.breaches.length === 0 ? "pass" : "BREACH",
      verdict.note ?? ""
    ]

/** The certificate: a line per scenario, the sum, and every breach in a sentence. */
export const table = (verdicts: ReadonlyArray<Verdict | Skipped>): string => {
  const run = verdicts.filter((verdict) => "breaches" in verdict)
  const sum = (of: (verdict: Verdict) => number) => run.reduce((total, verdict) => total + of(verdict), 0)
  const total: Verdict = {
    scenario: "all",
    accepted: sum(({ accepted }) => accepted),
    handedOver: sum(({ handedOver }) => handedOver),
    lost: sum(({ lost }) => lost),
    duplicates: sum(({ duplicates }) => duplicates),
    bound: sum(({ bound }) => bound),
    slowestRecovery: Math.max(0, ...run.map(({ slowestRecovery }) => slowestRecovery)),
    slowness: Math.max(1, ...run.map(({ slowness }) => slowness)),
    breaches: run.flatMap(({ breaches }) => breaches)
  }
  const rows = [heads, ...verdicts.map(cells), cells(total)]
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  return [
    ...rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()),
    ...run.flatMap(({ breaches, scenario }) => breaches.slice(0, 20).map((breach) => `${scenario}: ${breach}`))
  ].join("\n")
}
