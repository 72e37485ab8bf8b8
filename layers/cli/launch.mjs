// Runs one of the commands below under a Node that can run the sources, after installing what is missing.
// It is what old Nodes see first: plain JavaScript, no dependencies, nothing newer than Node 18 unless asked for.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { heap } from "./heap.mjs"
import { resolving } from "./resolve.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const packaged = join(root, "node_modules", "node", "bin", "node")

const sources = (file) => ["--disable-warning=ExperimentalWarning", join(root, file)]
const vitest = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", root, "--config", ".vitest.config.ts"]

/** What each command hands to Node, and whether it needs the development tools. */
const commands = {
  start: { arguments: [...heap, ...resolving, ...sources("layers/main.ts")], tools: false },
  tidings: { arguments: [...resolving, ...sources("layers/cli/Tidings.ts")], tools: false },
  test: { arguments: vitest, tools: true },
  check: { arguments: sources("test/check.ts"), tools: true },
  certify: { arguments: sources("test/certify/main.ts"), tools: true },
  prepack: { arguments: sources("layers/cli/Package.ts"), tools: true },
  bench: { arguments: sources("bench/main.ts"), tools: true }
}

const fail = (sentence, code = 1) => {
  process.stderr.write(`${sentence}\n`)
  process.exit(code)
}

const packagesOf = (lock) => JSON.parse(readFileSync(lock, "utf8")).packages

const isInstalled = (tools) => {
  // npm writes this one last, so an install that was cut off is never taken for a whole one.
  const record = join(root, "node_modules", ".package-lock.json")
  if (!existsSync(record)) return false
  const installed = packagesOf(record)
  return Object.entries(packagesOf(join(root, "package-lock.json"))).every(([path, wanted]) => {
    if (path === "") return true
    const found = installed[path]
    if (found !== undefined) return found.version === wanted.version
    return wanted.optional || wanted.devOptional || (wanted.dev && !tools)
  })
}

const run = (command, args, cwd) =>
  // What an install prints must not mix with what the command prints.
  spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2], shell: process.platform === "win32" })

const install = (tools) => {
  process.stderr.write("Installing dependencies (only when they change)\n")
  // Not `npm ci`: it refuses a lock file made where another platform's optional binaries were not to be had.
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
  const { error, status } = run("npm", tools ? [...args, "--include=dev"] : args, root)
  if (error?.code === "ENOENT") fail("npm, which installs the dependencies, was not found: install it beside Node")
  if (status !== 0) fail("npm install failed")
}

/** Type stripping without a flag, and what Effect asks for. */
const runsSources = (version) => {
  const [major, minor] = version.split(".").map(Number)
  return major >= 24 || (major === 22 && minor >= 19)
}

/** The Node that npm runs on. Once ours is installed, it comes first where npm looks for what a script names. */
const callersNode = () => {
  const { npm_config_user_agent: agent = "", npm_node_execpath: node } = process.env
  const [, version] = /\bnode\/v(\S+)/.exec(agent) ?? []
  return version !== undefined && runsSources(version) ? node : undefined
}

const chooseNode = () => {
  if (process.execPath === packaged) return callersNode() ?? packaged
  if (runsSources(process.versions.node)) return process.execPath
  // Some npm configurations block the install script that brings the binary.
  if (!existsSync(packaged)) run(process.execPath, ["installArchSpecificPackage"], join(root, "node_modules", "node"))
  if (existsSync(packaged)) return packaged
  return fail(`Tidings needs Node 22.19 or newer: this is ${process.version}, and no newer one could be installed`)
}

/** Becomes the command where it can; stands in front of it where it cannot: signals in, exit code out. */
const become = (node, args) => {
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.execve(node, [node, ...args], process.env)
  }
  const child = spawn(node, args, { stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // Ctrl-C reaches the whole foreground group: passing it on would make it two.
    process.on(signal, () => signal === "SIGINT" && process.stdin.isTTY ? undefined : child.kill(signal))
  }
  child.on("error", (error) => fail(`${node} does not run here: ${error.message}`))
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

// Compiling the modules anew is a third of a start. Tests and benches compile what changes under them.
const cached = ["start", "tidings"]

const [name = "", ...rest] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
if (command === undefined) fail(`Say one of ${Object.keys(commands).join(", ")}`, 2)
if (!isInstalled(command.tools)) install(command.tools)
if (cached.includes(name)) process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/node")
become(chooseNode(), [...command.arguments, ...rest])
