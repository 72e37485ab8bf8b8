import { withPicture } from "#src/content/html/Picture.ts"
import { assert, describe, it } from "@effect/vitest"

/** Where the picture is put. */
const put = (html: string) => withPicture(html, "https://x.example/").replace(/<img src="https:[^>]*>/, "!")

describe("withPicture", () => {
  it.each([
    ["<p>a</p>", "<p>a</p>!"],
    ["<html><body>a</body></html>", "<html><body>a!</body></html>"],
    ["<BODY>a</Body\n></HTML>", "<BODY>a!</Body\n></HTML>"],
    ["a</body>b</body>", "a</body>b!</body>"],
    ["a</body", "a!</body"],
    ["a</bodyguard></p>", "a</bodyguard></p>!"],
    ["", "!"],
    // The small letters of a İ are two characters.
    ["<body>İSTANBUL, İZMİR</body>", "<body>İSTANBUL, İZMİR!</body>"],
    ["<body>a</body><!-- </body> -->", "<body>a!</body><!-- </body> -->"],
    ["<!--[if mso]></body><![endif]--><p>a</p>", "<!--[if mso]></body><![endif]--><p>a</p>!"],
    ["<!-- </body> <!-- --><body>a</body>", "<!-- </body> <!-- --><body>a!</body>"]
  ])("the picture is the last of what is seen: %s", (html, seen) => {
    assert.strictEqual(put(html), seen)
  })

  it("an address cannot leave its attribute", () => {
    assert.include(withPicture("", "\"><script>"), "src=\"&quot;&gt;&lt;script&gt;\"")
  })

  it("takes time linear in the length of the HTML", { timeout: 5_000 }, () => {
    for (const part of ["<!--</body>", "</body", "</bodyx>", "--></body><!--", "</"]) {
      assert.isString(withPicture(part.repeat(500_000), "x"))
    }
  })
})
