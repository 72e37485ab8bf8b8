/** How many messages are in flight at once, and over how many connections. */
export const inFlight = 64
export const connections = 5

const paragraph = "A notification of some length, as they are sent by the thousand. "

/** The message that every contender sends: the same text, each time to another recipient. */
export const mailOf = (index: number) => ({
  to: `user-${index % 5000}@rcpt.test`,
  subject: `Your order ${index} has left`,
  text: `Hello,\n\n${paragraph.repeat(8)}\n`,
  html: `<html><body><h1>Hello</h1><p>${paragraph.repeat(8)}</p></body></html>`,
  token: `message-${index}:email:smtp`
})

/**
 * Sends BENCH_MAILS messages, after a tenth as many to warm up, and prints the rate from the first call to the last
 * acceptance. `run` sends the messages from number `first` to before `first + count`, `inFlight` at a time.
 */
export const measure = async (run: (first: number, count: number) => Promise<unknown>): Promise<void> => {
  const count = Number(process.env["BENCH_MAILS"])
  await run(0, Math.ceil(count / 10))
  const begin = performance.now()
  await run(count, count)
  console.log(JSON.stringify({ rate: count / ((performance.now() - begin) / 1000) }))
}

export const port = Number(process.env["BENCH_SMTP_PORT"])
