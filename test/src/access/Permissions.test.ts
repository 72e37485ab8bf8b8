import { type Asked, judge, type Verdict } from "#src/access/Permissions.ts"
import { grantOf } from "#src/access/UserTokens.ts"
import { assert, describe, it } from "@effect/vitest"

const verdict = (scopes: string, asked: string) => {
  const [method = "", path = ""] = asked.split(" ")
  const request: Asked = { method, segments: path.split("/").filter((segment) => segment !== "") }
  return judge(grantOf(scopes.split(" ")), request)
}

/** Each request, the one scope that opens it to ada's token, and how if not as it is. */
const rows: ReadonlyArray<readonly [asked: string, scope: string, opens?: Verdict]> = [
  ["GET /users/ada/tokens", "read:user-tokens"],
  ["HEAD /users/ada/tokens", "read:user-tokens"],
  ["GET /users/ada/tokens/t", "read:user-tokens"],
  ["PUT /users/ada/tokens/t", "write:user-tokens"],
  ["PATCH /users/ada/tokens/t", "write:user-tokens"],
  ["DELETE /users/ada/tokens/t", "write:user-tokens"],
  ["GET /users/ada/preferences", "read:preferences", "preferences"],
  ["PUT /users/ada/preferences/topic", "write:preferences", "preferences"],
  ["GET /users/ada/inbox", "inbox:read:messages"],
  ["GET /users/ada/inbox/unread", "inbox:read:messages"],
  ["PUT /users/ada/inbox", "inbox:write:events"],
  ["PUT /users/ada/inbox/1", "inbox:write:events"]
]

const scopes = [
  "read:user-tokens",
  "write:user-tokens",
  "read:preferences",
  "write:preferences",
  "inbox:read:messages",
  "inbox:write:events",
  "read:messages",
  "read:brands",
  "write:brands"
]

describe("Permissions", () => {
  it("what belongs to a user opens to its own scope, of its own users", () => {
    for (const [asked, scope, opens = "allowed"] of rows) {
      for (const held of scopes) {
        const expected = held === scope ? opens : "refused"
        assert.strictEqual(verdict(`user_id:ada ${held}`, asked), expected, `${asked} with ${held}`)
        assert.strictEqual(verdict(`user_id:bob ${held}`, asked), "refused", `${asked} for another with ${held}`)
        assert.strictEqual(verdict(held, asked), "refused", `${asked} for nobody with ${held}`)
      }
    }
  })

  it("brands open as a whole or one by one", () => {
    assert.strictEqual(verdict("read:brands", "GET /brands"), "allowed")
    assert.strictEqual(verdict("read:brands", "GET /brands/b"), "allowed")
    assert.strictEqual(verdict("read:brands:b", "GET /brands/b"), "allowed")
    assert.strictEqual(verdict("write:brands:b", "PUT /brands/b"), "allowed")
    assert.strictEqual(verdict("write:brands", "PUT /brands/b"), "allowed")
    for (const asked of ["PUT /brands", "PATCH /brands/b", "DELETE /brands/b"]) {
      assert.strictEqual(verdict("write:brands read:brands", asked), "refused", asked)
    }
    assert.strictEqual(verdict("read:brands:undefined", "GET /brands"), "refused")
    for (const asked of ["GET /brands", "GET /brands/c", "PUT /brands/b", "DELETE /brands/b"]) {
      assert.strictEqual(verdict("read:brands:b", asked), "refused", asked)
    }
  })

  it("messages open to be read, of the users named", () => {
    assert.strictEqual(verdict("user_id:ada read:messages", "GET /messages"), "messages")
    assert.strictEqual(verdict("user_id:ada read:messages", "GET /messages/1"), "messages")
    assert.strictEqual(verdict("read:messages", "GET /messages"), "refused")
    assert.strictEqual(verdict("user_id:ada inbox:read:messages", "GET /messages"), "refused")
    assert.strictEqual(verdict("user_id:ada read:messages", "POST /messages/1/cancel"), "refused")
  })

  it("nothing else opens to any token", () => {
    const all = ["user_id:ada", ...scopes].join(" ")
    for (
      const asked of [
        "POST /send",
        "POST /auth/issue-token",
        "GET /profiles/ada",
        "PUT /users/ada/tenants/t",
        "GET /users/ada",
        "GET /users/ada/tenants",
        "GET /notifications",
        "POST /brands",
        "GET /audit-events",
        "GET /"
      ]
    ) assert.strictEqual(verdict(all, asked), "refused", asked)
  })
})
