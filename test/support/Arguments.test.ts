import { run } from "#test/support/MainProcess.ts"
import { assert, describe, it } from "@effect/vitest"

const called = async (file: string, args: ReadonlyArray<string>) => {
  const command = run("node", file, {}, args)
  const { code } = await command.ended
  return { code, stdout: command.stdout(), stderr: command.stderr() }
}

describe("a command of the repository that is called wrongly ends at once, with one sentence", () => {
  for (
    const [file, args, sentence] of [
      ["bench/main.ts", ["--bogus"], /^Unknown option '--bogus'; say npm run bench -- /],
      ["bench/main.ts", ["nonsense"], /^no such question: nonsense; there are accept, /],
      ["test/certify/main.ts", ["--bogus"], /^Unknown option '--bogus'; say npm run certify -- /],
      ["test/certify/main.ts", ["kills"], /^Unexpected argument 'kills'; say npm run certify -- /],
      ["test/certify/main.ts", ["--minutes", "soon"], /^--minutes must be a number, 0 at least$/],
      ["test/certify/main.ts", ["--only", "kills,power"], /^no such scenario: power; there are kills, /],
      [
        "test/certify/main.ts",
        ["--only", "kills", "--on", "bun"],
        /^no such scenario on "bun"; the places are "embedded, node", /
      ]
    ] as const
  ) {
    it(`${file} ${args.join(" ")}`, async () => {
      const { code, stderr, stdout } = await called(file, args)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr.trim(), sentence)
      assert.lengthOf(stderr.trim().split("\n"), 1)
    })
  }

  for (const file of ["bench/main.ts", "test/certify/main.ts"]) {
    it(`${file} --help tells its usage`, async () => {
      const { code, stderr, stdout } = await called(file, ["--help"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.match(stdout, /^say npm run (bench|certify) -- /)
    })
  }
})
