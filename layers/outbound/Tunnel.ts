import { faultCode } from "#layers/outbound/FaultCode.ts"
import type { Proxy } from "#layers/outbound/Proxy.ts"
import { Redacted } from "effect"
import { Buffer } from "node:buffer"
import { connect as connectTcp, isIP, isIPv6, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"

/** In ms, for the connection to the proxy and its answer; what asks for a tunnel may have less. */
const limitMs = 10_000

/** Of a proxy's answer; it has no body where a tunnel begins. */
const mostBytes = 16_384

const headEnd = "\r\n\r\n"

/** A host and port as CONNECT names them. */
export const authorityOf = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`

const asking = ({ login }: Proxy, authority: string): string =>
  [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    ...(login === undefined ? [] : [`Proxy-Authorization: ${Redacted.value(login)}`])
  ].join("\r\n") + headEnd

const dial = ({ host, port, secure }: Proxy, ca: string | undefined): Socket => {
  const to = { host, port, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1000 }
  const socket = secure
    ? connectTls({
      ...to,
      // Explicit, so that no environment variable can switch it off.
      rejectUnauthorized: true,
      ALPNProtocols: ["http/1.1"],
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === undefined ? {} : { ca })
    })
    : connectTcp(to)
  // As undici has its own connections: a call in a tunnel that the network has forgotten would end unknown.
  return socket.setNoDelay(true).setKeepAlive(true, 60_000)
}

/**
 * Connects to the proxy and has it open a tunnel to `authority`. Calls `done` once, without a fault when the socket is
 * the tunnel's; else with what to say of the proxy, and then the socket is closed. Destroying the socket ends it at any
 * time. Nothing of a request has left before `done`.
 */
export const open = (
  proxy: Proxy,
  authority: string,
  done: (fault: string | undefined) => void,
  ca?: string
): Socket => {
  const socket = dial(proxy, ca)
  let heard = Buffer.alloc(0)
  let over = false
  const end = (fault: string | undefined) => {
    if (over) return
    over = true
    clearTimeout(timer)
    socket.off("readable", read).off("close", closed)
    if (fault !== undefined) socket.destroy()
    done(fault)
  }
  const closed = () => end("the proxy closed the connection")
  const timer = setTimeout(() => end(`the proxy did not answer in ${limitMs} ms`), limitMs)
  const read = () => {
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read())
      heard = Buffer.concat([heard, chunk])
    const length = heard.indexOf(headEnd)
    if (length < 0) return heard.length > mostBytes ? end("the proxy's answer is unreadable") : undefined
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(heard.toString("latin1", 0, length))?.[1]
    if (status === undefined) return end("the proxy's answer is unreadable")
    if (!status.startsWith("2")) return end(`the proxy answered ${status}`)
    const rest = heard.subarray(length + headEnd.length)
    if (rest.length > 0) socket.unshift(rest)
    end(undefined)
  }
  return socket
    .once(proxy.secure ? "secureConnect" : "connect", () => socket.write(asking(proxy, authority)))
    .on("readable", read)
    // Stays for the life of the socket: an unhandled error event ends the process.
    .on("error", (error) => end(`the proxy: ${faultCode(error)}`))
    .once("close", closed)
}
