import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)
const root = fileURLToPath(new URL("../..", import.meta.url))
const tool = (name: string): string => join(root, "node_modules/.bin", name)

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** The examples of layers/testing/README.md, to the letter; each goes on from those before it. */
const examples = async (): Promise<ReadonlyArray<string>> => {
  const page = await readFile(join(root, "layers/testing/README.md"), "utf8")
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code)
}

const example = async (): Promise<string> =>
  (await examples())[0] ?? assert.fail("layers/testing/README.md has no example")

/** What a project may export of all that the package gives: its declarations have to name every type in that. */
const helpers = `
import { Effect } from "effect"
import * as Simulation from "tidings/testing"
import * as Arbitraries from "tidings/testing/Arbitraries"
import * as Faults from "tidings/testing/Faults"

/** All of a world, and what its calls answer. */
export const world = (world: Simulation.World) => ({ ...world })
export const asked = Effect.fnUntraced(function*({ bulk, cancel, change, draw, open, report, resend, send, strike }: Simulation.World) {
  return {
    request: yield* send({ to: { user_id: "ada" }, template: "hello" }),
    resent: yield* resend("id"),
    job: yield* bulk({ message: { template: "hello" }, users: [] }),
    isCanceled: yield* cancel("id"),
    isChanged: yield* change({ _tag: "DeleteProfile", userId: "ada" }),
    drawn: yield* draw(Arbitraries.sendsTo([{ user_id: "ada" }])),
    opened: yield* open("id"),
    reported: report,
    isStruck: yield* strike("crash")
  }
})
/** All of a history, and one of each kind of its records. */
export const history = (history: Simulation.History) => ({ ...history })
export const records = (history: Simulation.History) => ({
  request: history.requests[0],
  tried: history.requests[0]?.tries[0],
  sent: history.requests[0]?.message,
  resend: history.resends[0],
  job: history.bulkJobs[0],
  cancellation: history.cancellations[0],
  changed: history.changes[0],
  change: history.changes[0]?.change,
  report: history.reports[0],
  call: history.calls[0],
  rendered: history.calls[0]?.rendered,
  commit: history.commits[0],
  incident: history.incidents[0],
  line: history.logs[0],
  row: history.messages[0],
  attempt: history.messages[0]?.attempts[0],
  events: history.messages[0]?.history[0]?.events[0],
  item: history.inbox[0],
  given: history.given.templates?.["hello"],
  member: history.given.tenants?.["acme"]?.members?.[0]
})
/** All that is stored. */
export const stored = ({ inbox, job, message, messages, preferences, request }: Simulation.Stored) => ({
  item: inbox("ada")[0],
  user: job("id")?.users[0],
  job: job("id"),
  message: message("id"),
  messages: messages(),
  preferences: preferences("ada"),
  request: request("id")
})
/** All that may be asked for, and what is answered. */
export const options = (options: Simulation.Options) => ({
  ...options,
  vendor: options.vendors?.[0],
  cue: options.vendors?.[0]?.script?.[0],
  answered: options.vendors?.[0]?.answers
})
export const arbitraries = { ...Arbitraries }
export const faults = { ...Faults }
export const simulation = { ...Simulation }
export const checked = Simulation.check({ story: () => Effect.void, complaints: () => [] })
export const caught = Effect.catchTag(checked, "Falsified", (falsified) => Effect.succeed(falsified))
export const lived = Simulation.run(1, () => Effect.void)
`

/** Helpers beside which nothing else is imported. */
const drawing = `
import * as Arbitraries from "tidings/testing/Arbitraries"
export const arbitraries = { ...Arbitraries }
`

/** Elements that a helper makes, as the README says to type them. */
const elements = `
import type * as Simulation from "tidings/testing"
const elements = (text: string): Array<Simulation.Element> => [{ type: "meta", title: "Hello" }, { type: "text", content: text }]
export const given: Simulation.Given = { templates: { hello: { elements: elements("Hello") } } }
export const hello = (world: Simulation.World) => world.send({ to: { user_id: "ada" }, content: { elements: elements("Hello") } })
`

describe("the package tidings, installed in an empty project", () => {
  let place = ""
  let manifest: Manifest = { exports: {}, dependencies: {}, peerDependencies: {} }
  const project = (...path: ReadonlyArray<string>): string => join(place, "project", ...path)

  /** What a project imports by. */
  const doors = () => Object.keys(manifest.exports).map((name) => name.replace(".", "tidings"))

  /** What a program of the project said, and whether it ended well. */
  const says = async (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
    const { SEED: _, ...inherited } = process.env
    try {
      const { stderr, stdout } = await run(command, args, { cwd: project(), env: { ...inherited, ...env } })
      return { ok: true, text: `${stdout}${stderr}` }
    } catch (error) {
      return { ok: false, text: String(Object(error).stdout) + String(Object(error).stderr) }
    }
  }

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), "tidings-package-"))
    await run(process.execPath, [
      "--disable-warning=ExperimentalWarning",
      join(root, "layers/cli/Package.ts"),
      join(place, "package")
    ])
    const { stdout } = await run("npm", ["pack", "--silent", "--offline", join(place, "package")], { cwd: place })
    await mkdir(project("node_modules/tidings"), { recursive: true })
    await run("tar", [
      "-xzf",
      join(place, stdout.trim()),
      "--strip-components=1",
      "-C",
      project("node_modules/tidings")
    ])
    manifest = JSON.parse(await readFile(project("node_modules/tidings/package.json"), "utf8"))
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      await mkdir(dirname(project("node_modules", name)), { recursive: true })
      await symlink(join(root, "node_modules", name), project("node_modules", name))
    }
    await writeFile(project("package.json"), JSON.stringify({ name: "project", dependencies: { tidings: "*" } }))
    await writeFile(project("shipped.test.mts"), await example())
  }, 60_000)

  afterAll(() => rm(place, { recursive: true, force: true }))

  it("the first example is the README's", async () => {
    assert.include(await readFile(join(root, "README.md"), "utf8"), `\`\`\`ts\n${await example()}\`\`\`\n`)
  })

  it("runs the first example of layers/testing/README.md on Node", { timeout: 120_000 }, async () => {
    assert.deepStrictEqual(
      await says(process.execPath, ["--disable-warning=ExperimentalWarning", "shipped.test.mts"]),
      {
        ok: true,
        text: ""
      }
    )
  })

  it("runs all its examples, one after the other", { timeout: 240_000 }, async () => {
    const all = await examples()
    assert.isAbove(all.length, 1)
    await writeFile(project("all.test.mts"), all.join("\n"))
    assert.deepStrictEqual(await says(process.execPath, ["--disable-warning=ExperimentalWarning", "all.test.mts"]), {
      ok: true,
      text: ""
    })
    // The later properties are ones that can be broken.
    const mutants = [
      [`userId: "bob", topicId`, `userId: "bab", topicId`, "it was sent to ada,bob"],
      [`{ key: "weekly" }`, `{}`, "two equal sends made 2 messages"],
      [`{ key: "invitation" }`, `{}`, "of 3 guests 3 are told to be invited, and 6 are"]
    ] as const
    for (const [from, to, complaint] of mutants) {
      assert.include(all.join("\n"), from)
      await writeFile(project("all.mutant.mts"), all.join("\n").replace(from, to))
      const found = await says(process.execPath, ["--disable-warning=ExperimentalWarning", "all.mutant.mts"])
      assert.include(found.text, complaint)
    }
  })

  it("declares the types of what it takes", async () => {
    const shipped = project("node_modules/tidings")
    const declarations = await Array.fromAsync(glob("**/*.d.ts", { cwd: shipped }))
    assert.isNotEmpty(declarations)
    for (const path of declarations) {
      const text = await readFile(join(shipped, path), "utf8")
      assert.notMatch(text, /: any[,;)]/, path)
    }
  })

  it("runs the first example on Deno", { timeout: 120_000 }, async () => {
    assert.deepStrictEqual(await says(tool("deno"), ["run", "-A", "shipped.test.mts"]), { ok: true, text: "" })
  })

  const mutants = [
    ["a flow without a key", "{ key: `shipped-${order}` }", "{}", "ada got 2 messages"],
    ["a due time that is not kept", "wall < due", "wall - 1_000 < due", "was tried before its time"]
  ] as const

  for (const [what, from, to, complaint] of mutants) {
    it(`names the seed that finds ${what}, and lives it again`, { timeout: 120_000 }, async () => {
      const text = await example()
      assert.include(text, from)
      await writeFile(project("mutant.mts"), text.replace(from, to))
      const found = await says(process.execPath, ["mutant.mts"])
      const [sentence, seed] = /Seed (\d+) breaks the property\n[^\n]+/.exec(found.text) ?? assert.fail(found.text)
      assert.isFalse(found.ok)
      assert.include(sentence, complaint)
      assert.include(found.text, `Replay it alone: the same command with SEED=${seed}`)
      assert.include((await says(process.execPath, ["mutant.mts"], { SEED: `${seed}` })).text, sentence)
    })
  }

  it("has the types that the examples and all doors need, without types of others", { timeout: 120_000 }, async () => {
    const compilerOptions = { module: "NodeNext", target: "ESNext", strict: true, noEmit: true, types: [] }
    await writeFile(project("doors.mts"), doors().map((name, n) => `export * as door${n} from "${name}"`).join("\n"))
    await writeFile(
      project("tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["shipped.test.mts", "all.test.mts", "doors.mts"] })
    )
    assert.deepStrictEqual(await says(tool("tsc"), ["--project", "."]), { ok: true, text: "" })
  })

  it("declares what a project exports of it, by names that its doors have", { timeout: 180_000 }, async () => {
    const compilerOptions = {
      module: "NodeNext",
      target: "ESNext",
      strict: true,
      declaration: true,
      emitDeclarationOnly: true,
      outDir: "declared",
      types: []
    }
    const sources = [["helpers.mts", helpers], ["drawing.mts", drawing], ["elements.mts", elements]] as const
    for (const [name, text] of sources) {
      await writeFile(project(name), text)
      await writeFile(project("tsconfig.declared.json"), JSON.stringify({ compilerOptions, files: [name] }))
      assert.deepStrictEqual(await says(tool("tsc"), ["--project", "tsconfig.declared.json"]), { ok: true, text: "" })
    }
  })

  it("is awaited in tests of Node and of Deno, which are to give nothing", { timeout: 60_000 }, async () => {
    const page = await readFile(join(root, "layers/testing/README.md"), "utf8")
    const [, body] = /`test\("shipped", (async .+?)\)`/.exec(page) ?? assert.fail("the README shows no test")
    const property = "{ story: () => Effect.sleep(1), complaints: () => [] }"
    const imports =
      `import { Effect } from "effect"\nimport * as Simulation from "tidings/testing"\nconst once = ${property}\n`
    await writeFile(project("node.test.mts"), `import { test } from "node:test"\n${imports}test("shipped", ${body})\n`)
    await writeFile(project("deno.test.mts"), `${imports}Deno.test("shipped", ${body})\n`)
    const compilerOptions = {
      module: "NodeNext",
      target: "ESNext",
      strict: true,
      noEmit: true,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")]
    }
    await writeFile(project("tsconfig.node.json"), JSON.stringify({ compilerOptions, files: ["node.test.mts"] }))
    for (
      const [command, ...args] of [
        [process.execPath, "--test", "node.test.mts"],
        [tool("deno"), "test", "-A", "--no-lock", "deno.test.mts"],
        [tool("tsc"), "--project", "tsconfig.node.json"]
      ] as const
    ) {
      const { ok, text } = await says(command, args)
      assert.isTrue(ok, text)
    }
  })

  it("opens every door that it names, and no other", { timeout: 120_000 }, async () => {
    assert.include(doors(), "tidings/testing")
    const opened = await says(process.execPath, [
      "--input-type=module",
      "-e",
      doors().map((name) => `import "${name}"`).join("\n")
    ])
    assert.deepStrictEqual(opened, { ok: true, text: "" })
    const inside = await says(process.execPath, [
      "--input-type=module",
      "-e",
      `import "tidings/layers/testing/World.js"`
    ])
    assert.include(inside.text, "ERR_PACKAGE_PATH_NOT_EXPORTED")
  })
})
