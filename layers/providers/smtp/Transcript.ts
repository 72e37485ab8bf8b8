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
 * Follows a session by nodemailer's transaction log, the only place where it tells the stages apart: which command
 * waits for its reply, which reply came last, and who was refused.
 */
export const make = (onStage: (stage: Stage) => void) => {
  const waiting: Array<{ readonly stage: Stage; readonly text: string }> = [{ stage: "greeting", text: "" }]
  const state: { answered: Stage; isInvited: boolean; refusals: Array<RefusedRecipient> } = {
    answered: "connect",
    isInvited: false,
    refusals: []
  }

  const asked = (text: string) => {
    // A line without a verb of ours is a part of the login.
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
    /** Whether the server asked for the message: a plain yes to DATA answers something else (RFC 5321 §4.3.2). */
    isInvited: () => state.isInvited,
    refusals: (): ReadonlyArray<RefusedRecipient> => state.refusals,
    /** A new message: nobody is refused yet, and the reply to the last one's body was not a command's. */
    begin: () => {
      state.refusals = []
    }
  }
}
