import { toDeliveryError } from "#layers/providers/smtp/ErrorTable.ts"
import { refused, silent, type Stage } from "#layers/providers/smtp/Fault.ts"
import { usedUp } from "#layers/providers/Verdict.ts"
import { assert, describe, it } from "@effect/vitest"

/**
 * Replies as receivers give them, and what follows. A `!` after the kind: the address is dead; a `~`: only this recipient
 * is refused for now; a `+`: our account has sent its share of a day.
 */
const replies: ReadonlyArray<readonly [stage: Stage, reply: string, outcome: string]> = [
  ["greeting", "421 4.7.0 Too many connections from your address", "RateLimited"],
  ["greeting", "554 5.7.1 Service unavailable; client host blocked", "Misconfigured"],
  ["auth", "454 4.7.0 Temporary authentication failure", "Unavailable"],
  ["auth", "535-5.7.8 Username and Password not accepted.\n535 5.7.8 See help", "Misconfigured"],
  ["mail", "530 5.7.0 Must issue a STARTTLS command first", "Misconfigured"],
  ["mail", "552 5.3.4 Message size exceeds fixed limit", "ContentRejected"],
  ["mail", "552 Message too large", "ContentRejected"],
  ["mail", "550 5.6.7 Addresses need SMTPUTF8", "ContentRejected"],
  ["mail", "501 5.1.7 Bad sender address syntax", "Misconfigured"],
  ["mail", "553 5.7.1 Sender address rejected: not owned by user", "Misconfigured"],
  ["mail", "452 4.3.1 Insufficient system storage", "Unavailable"],
  ["rcpt", "450 4.2.1 The user is receiving mail too quickly", "RateLimited~"],
  ["rcpt", "451 4.7.1 Greylisting in action, please come back later", "RateLimited~"],
  ["rcpt", "452 4.5.3 Too many recipients", "RateLimited"],
  ["rcpt", "452 4.2.2 Mailbox full", "Unavailable~"],
  ["rcpt", "450 4.7.1 Client host rejected: too much mail", "RateLimited"],
  ["rcpt", "451 4.2.1 Mailbox busy", "RateLimited~"],
  ["rcpt", "451 4.5.3 Too many recipients", "RateLimited"],
  ["rcpt", "452 Too many messages", "RateLimited"],
  ["rcpt", "450 4.1.1 <bob@rcpt.test>: unverified address", "Unavailable~"],
  [
    "rcpt",
    "450 4.2.0 <bob@rcpt.test>: Recipient address rejected: Greylisted, see https://example.org",
    "RateLimited~"
  ],
  ["rcpt", "451 4.7.1 Try again in five minutes", "RateLimited~"],
  ["rcpt", "450 4.7.1 Client host rejected: cannot find your hostname", "RateLimited"],
  ["rcpt", "451 Grey-listed", "RateLimited~"],
  ["rcpt", "450 4.1.2 <bob@rcpt.test>: Recipient address rejected: Domain not found", "Unavailable~"],
  ["rcpt", "450 4.1.8 <shop@example.org>: Sender address rejected: Domain not found", "Unavailable"],
  ["rcpt", "450 Mailbox busy", "Unavailable~"],
  ["rcpt", "450 4.3.2 System not accepting messages", "Unavailable"],
  ["rcpt", "421 4.7.0 Greylisted too often, closing", "RateLimited"],
  ["mail", "451 4.7.1 Greylisting the sender", "RateLimited"],
  ["rcpt", "550 5.1.1 <bob@rcpt.test>: Recipient address rejected: User unknown", "RecipientRejected!"],
  ["rcpt", "550-5.1.1 The email account that you tried to reach does not exist.\n550 5.1.1 x", "RecipientRejected!"],
  ["rcpt", "550 5.1.10 RESOLVER.ADR.RecipientNotFound", "RecipientRejected!"],
  ["rcpt", "550 5.2.1 The email account that you tried to reach is disabled", "RecipientRejected!"],
  [
    "rcpt",
    "550-5.2.1 The user you are trying to contact is receiving mail at a rate that\n550 5.2.1 prevents more",
    "RecipientRejected"
  ],
  ["rcpt", "552 5.2.2 The email account is over quota", "RecipientRejected"],
  ["rcpt", "550 5.4.1 Recipient address rejected: Access denied", "RecipientRejected"],
  ["rcpt", "550 5.5.0 Requested action not taken: mailbox unavailable", "RecipientRejected"],
  ["rcpt", "550 No such user here", "RecipientRejected"],
  ["rcpt", "556 5.1.10 Domain takes no mail", "RecipientRejected!"],
  ["rcpt", "556 Domain does not accept mail", "RecipientRejected!"],
  ["rcpt", "521 Host does not accept mail", "RecipientRejected!"],
  ["rcpt", "550 5.1.2 Host unknown", "RecipientRejected!"],
  ["rcpt", "553 5.1.3 Bad recipient address syntax", "RecipientRejected!"],
  ["rcpt", "550 5.1.6 Mailbox has moved", "RecipientRejected!"],
  ["rcpt", "550 5.1.25 A code of later years", "RecipientRejected"],
  ["rcpt", "550 5.2.10 A code of later years", "RecipientRejected"],
  ["rcpt", "551 User not local", "RecipientRejected"],
  ["rcpt", "552 Mailbox full", "RecipientRejected"],
  ["rcpt", "553 Mailbox name not allowed", "RecipientRejected"],
  ["rcpt", "554 Relay access denied", "Misconfigured"],
  ["rcpt", "550 5.1.8 Sender's domain not found", "Misconfigured"],
  ["rcpt", "550 5.3.2 System not accepting messages", "Misconfigured"],
  ["rcpt", "553 5.5.1 Sender not yet given", "Misconfigured"],
  ["rcpt", "554 5.7.1 <bob@rcpt.test>: Relay access denied", "Misconfigured"],
  ["rcpt", "550 5.7.1 Unfortunately, messages from your address were not sent", "Misconfigured"],
  ["data", "503 5.5.1 Bad sequence of commands", "Misconfigured"],
  ["data", "500 What", "Misconfigured"],
  ["data", "530 Authentication required", "Misconfigured"],
  ["data", "550 5.1.1 User unknown", "RecipientRejected!"],
  ["data", "550 5.7.1 Not from this address", "Misconfigured"],
  ["body", "503 Bad sequence of commands", "Misconfigured"],
  ["final", "534 Mechanism too weak", "Misconfigured"],
  ["final", "538 Encryption required", "Misconfigured"],
  ["final", "555 Parameters not known", "Misconfigured"],
  ["final", "550 5.2.0 Mailbox trouble", "RecipientRejected"],
  ["final", "552 5.2.3 Message too long for this mailbox", "RecipientRejected"],
  ["final", "550 5.1.0 Address rejected", "RecipientRejected"],
  ["final", "550 5.1.5 Address not valid", "RecipientRejected"],
  ["final", "554 5.4.14 Hop count exceeded", "RecipientRejected"],
  ["final", "550 5.1.8 Sender's domain not found", "Misconfigured"],
  ["final", "554 5.3.0 Configuration error", "Misconfigured"],
  ["final", "554 5.5.0 Protocol error", "Misconfigured"],
  ["final", "550 5.7.8 Credentials invalid", "Misconfigured"],
  ["final", "550 5.7.9 Mechanism too weak", "Misconfigured"],
  ["final", "550 5.7.11 Encryption required", "Misconfigured"],
  ["final", "550 5.7.14 Trust relationship required", "Misconfigured"],
  ["final", "421 4.7.28 Unusual rate of unsolicited mail", "RateLimited"],
  ["final", "451 4.7.650 The mail server has been temporarily rate limited", "RateLimited"],
  ["final", "451 Try again later", "Unavailable"],
  ["data", "451 4.7.1 Greylisted", "RateLimited~"],
  ["data", "454 Throttling failure: Maximum sending rate exceeded", "RateLimited"],
  ["data", "454 Throttling failure: Daily message quota exceeded", "RateLimited+"],
  ["mail", "452 Daily quota exceeded", "RateLimited+"],
  ["mail", "452 4.5.3 Daily sending limit reached", "RateLimited+"],
  ["rcpt", "451 4.7.1 Daily sending quota exceeded", "RateLimited+"],
  ["rcpt", "451 <bob@rcpt.test>: this mailbox reached its daily limit", "RateLimited~"],
  ["rcpt", "550 5.7.1 Daily SMTP relay limit exceeded for user", "RateLimited+"],
  ["final", "550 5.7.1 Daily SMTP relay limit exceeded for user", "RateLimited+"],
  ["rcpt", "550 5.2.1 The recipient's daily limit exceeded", "RecipientRejected"],
  ["mail", "432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded", "RateLimited"],
  ["rcpt", "452 4.2.2 Mailbox size limit exceeded", "Unavailable~"],
  ["final", "452 4.2.2 Mailbox full", "Unavailable~"],
  ["final", "550 5.7.26 This mail is unauthenticated", "Misconfigured"],
  ["final", "550 5.7.1 This message is likely unsolicited mail", "ContentRejected"],
  ["final", "552 5.7.0 This message was blocked because of its content", "ContentRejected"],
  ["rcpt", "550-5.4.5 Daily user sending limit exceeded.\n550 5.4.5 For more information", "RateLimited+"],
  ["final", "550-5.4.5 Daily user sending limit exceeded.\n550 5.4.5 For more information", "RateLimited+"],
  ["final", "554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException; Failed", "RateLimited+"],
  ["final", "554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException.MapiExceptionSendAsDenied", "Misconfigured"],
  ["final", "554 5.2.252 SendAsDenied; shop@example.org not allowed to send as other@example.org", "Misconfigured"],
  ["final", "550 5.7.60 SMTP; Client does not have permissions to send as this sender", "Misconfigured"],
  ["final", "554 Message rejected: Email address is not verified.", "Misconfigured"],
  ["final", "550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP", "Misconfigured"],
  ["final", "550 5.7.509 Access denied, sending domain does not pass DMARC verification", "Misconfigured"],
  ["final", "554 5.6.1 Body type not supported", "ContentRejected"],
  ["final", "554 Message refused", "ContentRejected"],
  ["final", "550 5.1.1 User unknown", "RecipientRejected!"],
  ["final", "550 The from address does not match a verified Sender Identity. Mail cannot be sent", "Misconfigured"],
  ["final", "553 Relaying disallowed as shop@example.org", "Misconfigured"],
  ["final", "554 5.7.1 Relay access denied", "Misconfigured"],
  ["final", "550 5.7.1 Sending from domain example.org is not allowed", "Misconfigured"],
  ["final", "554 5.7.1 A link in this mail is listed at spamhaus.org", "ContentRejected"],
  ["rcpt", "550 relay not permitted", "Misconfigured"],
  ["rcpt", "550 relay not permitted, authentication required", "Misconfigured"],
  [
    "rcpt",
    "550-Please turn on SMTP Authentication in your mail client.\r\n550-relay.example.org is not",
    "Misconfigured"
  ],
  ["rcpt", "550-The mail server could not deliver mail.\r\n550 Turn on SMTP Authentication.", "Misconfigured"],
  ["rcpt", "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", "Misconfigured"],
  ["rcpt", "550 Blocked - see https://www.spamhaus.org/query/ip/192.0.2.1", "Misconfigured"],
  ["rcpt", "550 5.1.1 No such user; relaying denied", "RecipientRejected!"],
  ["rcpt", `550-${"a ".repeat(400_000)}\r\n550 daily daily`, "RecipientRejected"],
  ["body", "552 5.3.4 Too big", "ContentRejected"]
]

describe("SMTP error table", () => {
  it("each reply has its outcome, and P9: no address is repeated", () => {
    for (const [stage, reply, outcome] of replies) {
      const fault = refused(stage, reply)
      if (fault === undefined) return assert.fail(`${reply}: not a refusal`)
      const error = toDeliveryError(fault)
      const dead = error._tag === "RecipientRejected" && error.invalidates === true
      const waits = "ofRecipient" in error && error.ofRecipient === true
      const wait = "retryAfter" in error ? error.retryAfter : undefined
      const marks = `${dead ? "!" : ""}${waits ? "~" : ""}${wait === usedUp ? "+" : wait ?? ""}`
      assert.strictEqual(`${error._tag}${marks}`, outcome, `${stage}: ${reply}`)
      assert.notInclude(error.detail, "rcpt.test")
      assert.include(error.detail, `At ${stage}: ${reply.slice(0, 3)}`)
    }
  })

  it("of a message with copies, only a reply to its recipient says that this one's address is dead", () => {
    const isDead = (stage: Stage, hasCopies: boolean) => {
      const fault = refused(stage, "550 5.1.1 User unknown")
      const error = fault && toDeliveryError(fault, hasCopies)
      return error?._tag === "RecipientRejected" ? error.invalidates : assert.fail(stage)
    }
    for (const stage of ["rcpt", "data", "final"] as const) {
      assert.isTrue(isDead(stage, false), stage)
      assert.strictEqual(isDead(stage, true), stage === "rcpt", stage)
    }
  })

  it("P9: a long or broken text is told in one short line", () => {
    const told = (text: string) => {
      const fault = refused("final", `550 5.7.1 ${text}`)
      return fault === undefined ? assert.fail(text) : toDeliveryError(fault).detail
    }
    assert.strictEqual(told("no\u0000\u0007\tsuchéthing "), "At final: 550 5.7.1 no such thing")
    assert.isBelow(told("long ".repeat(1_000)).length, 250)
    // An address that would be cut in the middle is still seen as one.
    assert.notInclude(told(`${"x".repeat(190)} bob@rcpt.test`), "bob")
  })

  it("a server that cannot be spoken to in private is the operator's, one that is away is not", () => {
    const kindOf = (code: string) => toDeliveryError(silent("starttls", code))._tag
    for (
      const code of [
        "CERT_HAS_EXPIRED",
        "DEPTH_ZERO_SELF_SIGNED_CERT",
        "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        "ERR_TLS_CERT_ALTNAME_INVALID",
        "ERR_TLS_INVALID_PROTOCOL_VERSION",
        "ERR_SSL_WRONG_VERSION_NUMBER",
        "ERR_SSL_UNSUPPORTED_PROTOCOL",
        "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION"
      ]
    ) assert.strictEqual(kindOf(code), "Misconfigured", code)
    for (const code of ["ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "deadline", "closed"])
      assert.strictEqual(kindOf(code), "Unavailable", code)
  })

  it("a server that greets nobody is told as one, where it took the connection and the deadline ended that", () => {
    const isTold = (stage: Stage, code: string) =>
      toDeliveryError(silent(stage, code)).detail.includes("sent no greeting")
    assert.deepStrictEqual(
      [isTold("greeting", "deadline"), isTold("greeting", "closed"), isTold("ehlo", "deadline")],
      [true, false, false]
    )
  })

  it("what is no refusal is not read as one", () => {
    for (const reply of ["250 ok", "354 go on", "", "55", "5500 x", "hello"])
      assert.isUndefined(refused("final", reply))
  })

  it("P4: silence is unknown after the first byte of the message, and not sent before", () => {
    const stages: ReadonlyArray<Stage> = [
      "pool",
      "connect",
      "greeting",
      "ehlo",
      "starttls",
      "auth",
      "mail",
      "rcpt",
      "data",
      "body",
      "final"
    ]
    const unknown = stages.filter((stage) => toDeliveryError(silent(stage, "deadline"))._tag === "Unknown")
    assert.deepStrictEqual(unknown, ["body", "final"])
  })
})
