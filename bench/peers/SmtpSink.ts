import { SMTPServer } from "smtp-server"

// Accepts every mail and keeps none, on the port BENCH_SMTP_PORT.
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  disableReverseLookup: true,
  onData: (stream, _, done) => {
    stream.on("end", () => done()).resume()
  }
})
server.on("error", () => undefined)
server.listen(Number(process.env["BENCH_SMTP_PORT"]), "127.0.0.1")
