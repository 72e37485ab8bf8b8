import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * Builds the package that other projects install, in `dist` or in the empty folder given as argument: what package.json
 * exports, with all that it imports, as JavaScript and declarations, beside a manifest of its own. Removing the types
 * is all that the sources need to run as JavaScript.
 */

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly imports: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const named = process.argv[2]
const out = named === undefined ? join(root, "dist") : resolve(named)
const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const fail = (sentence: string): never => {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

/** The declarations and the code that a source is built into, as a manifest's entry. */
const built = (path: string) => ({
  types: path.replace(/(?:\.ts)?$/, ".d.ts"),
  default: path.replace(/(?:\.ts)?$/, ".js")
})

const declare = (): void => {
  const config = join(out, "tsconfig.json")
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        incremental: false,
        declaration: true,
        emitDeclarationOnly: true,
        rootDir: root,
        outDir: out,
        typeRoots: [join(root, "node_modules/@types")]
      },
      files: Object.values(manifest.exports).map((path) => join(root, path)),
      include: Object.keys(manifest.imports).map((name) => join(root, name.slice(1, -2), "**/*.d.ts"))
    })
  )
  const { error, status } = spawnSync(join(root, "node_modules/.bin/tsc"), ["--project", config], { stdio: "inherit" })
  if (error !== undefined || status !== 0) fail("The declarations could not be made")
  rmSync(config)
}

/** The packages that these files import. */
const imported = (files: ReadonlyArray<string>): ReadonlySet<string> => {
  const specifiers = files.flatMap((file) => [
    ...readFileSync(join(out, file), "utf8").matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)"([@a-z][^":\s]*)"/g)
  ])
  return new Set(specifiers.map(([, name = ""]) => name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/")))
}

const pick = (names: ReadonlyArray<string>) => {
  const unknown = names.filter((name) => manifest.dependencies[name] === undefined)
  if (unknown.length > 0) fail(`Not among the dependencies: ${unknown.join(", ")}`)
  return Object.fromEntries(names.map((name) => [name, manifest.dependencies[name]]))
}

if (named === undefined) rmSync(out, { recursive: true, force: true })
else if (existsSync(out) && readdirSync(out).length > 0) fail(`${out} is not empty`)
mkdirSync(out, { recursive: true })
declare()
const declarations = globSync("**/*.d.ts", { cwd: out })
const modules = declarations.map((path) => path.replace(/\.d\.ts$/, ".js"))
for (const path of modules) {
  const source = readFileSync(join(root, path.replace(/\.js$/, ".ts")), "utf8")
  writeFileSync(join(out, path), stripTypeScriptTypes(source))
}
const folders = Object.entries(manifest.imports).filter(([name]) =>
  modules.some((path) => path.startsWith(name.slice(1, -1)))
)
const packages = [...imported([...declarations, ...modules])].sort()
writeFileSync(
  join(out, "package.json"),
  JSON.stringify(
    {
      name: manifest.name,
      version: manifest.version,
      description: manifest.description,
      license: manifest.license,
      type: "module",
      engines: { node: ">=22.19" },
      files: folders.map(([name]) => name.slice(1, -2)),
      exports: Object.fromEntries(Object.entries(manifest.exports).map(([name, path]) => [name, built(path)])),
      imports: Object.fromEntries(folders.map(([name, path]) => [`${name}.ts`, built(path)])),
      dependencies: pick(packages.filter((name) => name !== "effect")),
      // A story is written with Effect, and must share the engine's copy of it.
      peerDependencies: pick(["effect"])
    },
    null,
    2
  )
)
copyFileSync(join(root, "LICENSE"), join(out, "LICENSE"))
// Who installs the package writes tests with it, and operates no server.
copyFileSync(join(root, "layers/testing/README.md"), join(out, "README.md"))
process.stderr.write(`Built ${modules.length} modules in ${out}\n`)
// When npm runs this as a step of `npm pack` or `npm publish` in the checkout, npm would go on to pack the checkout,
// not the package.
if (/^(?:pack|publish)$/.test(process.env["npm_command"] ?? "")) {
  fail(`The package stands in ${out}: run npm ${process.env["npm_command"]} ${out}`)
}
