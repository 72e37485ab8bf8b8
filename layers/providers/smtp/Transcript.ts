import type { Stage } from "#layers/providers/smtp/Fault.ts"

/** A recipient that the server did not take, and its reply. */
export interface RefusedRecipient {
  readonly address: string
  readonly response: string
}

const stages: Readonly<Record<string, Stage>> = {
  EHLO: "ehlo",
  HELO: "ehlo",
  STARTTLS: "starttls",
  AUTH: "auth",
  MAIL: "mail",
  RCPT: "rcpt",
  DATA: "data",
  ".": "data",
  RSET: "mail"
}

const verb = /^(?:[A-Z]+|\.$)/
const path = /<([^>]*)>/

/**
 * Follows a session through nodemailer's transaction log, the only place where it tells the stages apart: which command
 * awaits its reply, which reply came last, and which recipients were refused.
 */
export const make = (onStage: (stage: Stage) => void) => {
  const waiting: Array<{ readonly stage: Stage; readonly text: string }> = [{ stage: "greeting", text: "" }]
  const state: { answered: Stage; isInvited: boolean; refusals: Array<RefusedRecipient> } = {
    answered: "connect",
    isInvited: false,
    refusals: []
  }

  const asked = (text: string) => {
    // A line that begins with no known verb is part of the login.
    waiting.push({ stage: stages[verb.exec(text)?.[0] ?? ""] ?? "auth", text })
    onStage(waiting[0]?.stage ?? state.answered)
  }
  const answered = (text: string) => {
    const command = waiting.shift()
    if (command === undefined) return
    state.answered = command.stage
    if (command.text === "DATA") state.isInvited = text.startsWith("3")
    if (command.stage === "rcpt" && !text.startsWith("2")) {
      state.refusals.push({ address: path.exec(command.text)?.[1] ?? "", response: text })
    }
    const next = waiting[0]
    if (next !== undefined) onStage(next.stage)
  }
  return {
    logger: {
      debug: (entry: { readonly tnx?: string }, text: string) => {
        if (entry.tnx === "client") asked(text)
        if (entry.tnx === "server") answered(text)
      }
    },
    /** The stage whose reply came last. */
    answered: () => state.answered,
    /**
     * Whether the server asked for the message's data (354). Any other positive reply to DATA answers something else
     * (RFC 5321 §4.3.2).
     */
    isInvited: () => state.isInvited,
    refusals: (): ReadonlyArray<RefusedRecipient> => state.refusals,
    /**
     * Starts a new message: no recipient is refused yet. The reply to the last message's body left no other trace,
     * since it answers no command.
     */
    begin: () => {
      state.refusals = []
    }
  }
}
