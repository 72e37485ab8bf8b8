import { spawn } from "node:child_process"
import { once } from "node:events"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** What `npm run check` holds the code to; `npm run check -- lint format` runs only those. */
const checks: Readonly<Record<string, readonly [tool: string, ...args: ReadonlyArray<string>]>> = {
  types: ["tsc", "--project", "."],
  lint: ["oxlint", "--deny-warnings"],
  format: ["dprint", "check"],
  unused: ["knip", "--no-progress"],
  architecture: ["vitest", "run", "--config", ".vitest.config.ts", "test/architecture.test.ts"]
}

const root = fileURLToPath(new URL("..", import.meta.url))
const env = { ...process.env, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) }

const passes = async (name: string): Promise<boolean> => {
  const [tool, ...args] = checks[name] ?? []
  if (tool === undefined) {
    console.error(`no such check: ${name}; there are ${Object.keys(checks).join(", ")}`)
    return false
  }
  const child = spawn(join(root, "node_modules", ".bin", tool), args, {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const output: Array<Buffer> = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk))
  const [code] = await once(child, "close")
  console.log(`${code === 0 ? "passed" : "FAILED"} ${name}`)
  if (code !== 0) console.log(Buffer.concat(output).toString())
  return code === 0
}

const named = process.argv.slice(2)
const results = await Promise.all((named.length > 0 ? named : Object.keys(checks)).map(passes))
process.exitCode = results.every(Boolean) ? 0 : 1
