import * as Arguments from "#test/support/Arguments.ts"
import { accept } from "./Accept.ts"
import { audience } from "./Audience.ts"
import { cluster } from "./Cluster.ts"
import { deliver } from "./Deliver.ts"
import { email } from "./Email.ts"
import { growth } from "./Growth.ts"
import { fanout } from "./Fanout.ts"
import { idle } from "./Idle.ts"
import { lanes } from "./Lanes.ts"
import { limits } from "./Limits.ts"
import * as Machine from "./Machine.ts"
import { memory } from "./Memory.ts"
import { providers } from "./Providers.ts"
import { type Line, type Question, table } from "./Report.ts"
import { reads } from "./Reads.ts"
import { render } from "./Render.ts"
import { scale } from "./Scale.ts"
import { simulator } from "./Simulator.ts"
import { start } from "./Start.ts"

const questions: Readonly<Record<string, Question>> = {
  accept,
  deliver,
  memory,
  idle,
  start,
  email,
  providers,
  reads,
  render,
  simulator,
  growth,
  scale,
  cluster,
  fanout,
  lanes,
  audience,
  limits
}

const { positionals, values } = Arguments.read(
  {
    allowPositionals: true,
    options: { json: { type: "boolean", default: false }, quick: { type: "boolean", default: false } }
  },
  `say npm run bench -- [--json] [--quick], and which of ${Object.keys(questions).join(", ")}; none is all`
)
const unknown = positionals.filter((name) => !Object.hasOwn(questions, name))
if (unknown.length > 0)
  Arguments.refuse(`no such question: ${unknown.join(", ")}; there are ${Object.keys(questions).join(", ")}`)

// A missed goal is only a line of the table; the run fails only if a question could not be answered.
const lines: Array<Line> = []
const failures: Array<{ readonly question: string; readonly reason: string }> = []
for (const [question, ask] of Object.entries(questions)) {
  if (positionals.length > 0 && !positionals.includes(question)) continue
  if (!values.json) console.error(`${question} …`)
  try {
    lines.push(...await ask(values.quick))
  } catch (error) {
    failures.push({ question, reason: error instanceof Error ? error.message : String(error) })
  }
}

const machine = await Machine.describe(values.quick)
if (values.json) console.log(JSON.stringify({ machine, lines, failures }, null, 2))
else {
  console.log(`${machine}\n\n${table(lines)}`)
  for (const { question, reason } of failures) console.error(`\n${question}: ${reason}`)
}
process.exit(failures.length > 0 ? 1 : 0)
