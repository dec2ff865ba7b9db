import { connect, type Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { ExomonadError } from '../../domain/errors.ts'
import { errorFromAnswer } from '../client.ts'
import {
  kindOf,
  lineSplitter,
  lostAnswer,
  SAYS_WRITTEN,
  STDIO_PATH,
  STDIO_PROTOCOL,
  writtenNotice,
} from './proxy-protocol.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'

export interface ProxyOptions {
  /** Path of the daemon’s Unix socket. */
  readonly socket: string
  readonly token: string
  /** Agent to act for; only the owner’s token may. */
  readonly as: string | undefined
  readonly input: AsyncIterable<Uint8Array | string>
  /** `written` is called when all of it was written out, and never where that failed. */
  readonly output: (text: string, written?: () => void) => void
  /** Words for stderr. */
  readonly report: (message: string) => void
  /** Milliseconds that a request waits for a daemon that is away. */
  readonly timeout: number
  /** Awaited before each further attempt to connect. Never throws. */
  readonly whenAway?: (() => Promise<void>) | undefined
}

/** First and longest wait before the next attempt to connect, milliseconds. */
const RECONNECT = { first: 50, longest: 1000 }

/** How long the daemon may take to close its side when the client has gone, milliseconds. */
const FAREWELL = 1000

const AWAY = 'The daemon does not answer. `exomonad daemon start` starts it.'
const LOST =
  'The daemon went away before it answered, so what became of this is unknown: look before you do it again. An answer to a question comes as a message.'
const unavailable = (message: string): ExomonadError =>
  new ExomonadError('DAEMON_UNAVAILABLE', message)

/**
 * Carries MCP between stdio and the daemon until the input ends. The daemon remembers nothing of a
 * connection, so when it is restarted the proxy connects again and the client notices nothing,
 * except where it waited for an answer: that request is answered with an error, since nobody knows
 * whether it was done. Throws where the daemon is not there to begin with, and where it refuses the
 * token.
 */
export async function pumpMcp(options: ProxyOptions): Promise<void> {
  const unanswered = new Map<string, string | number>()
  /**
   * Of these the daemon wants to know that they arrived; before the first of them, a notice would
   * be taken for a client of the older protocol.
   */
  const calls = new Set<string>()
  let waiting: { line: string; since: number }[] = []
  let connection: Socket | undefined
  let inputEnded = false

  const send = (socket: Socket, line: string): void => {
    const asked = kindOf(line)
    if (asked.kind === 'request') {
      unanswered.set(JSON.stringify(asked.id), asked.id)
      if (line.includes('"tools/call"')) calls.add(JSON.stringify(asked.id))
    }
    socket.write(`${line}\n`)
  }
  const received = lineSplitter((line) => {
    const answered = kindOf(line)
    if (answered.kind !== 'response') return options.output(`${line}\n`)
    unanswered.delete(JSON.stringify(answered.id))
    if (!calls.delete(JSON.stringify(answered.id))) return options.output(`${line}\n`)
    const from = connection
    options.output(`${line}\n`, () => {
      if (from?.writable === true) from.write(`${writtenNotice(answered.id)}\n`)
    })
  })
  const answerLost = (): void => {
    for (const id of unanswered.values()) options.output(`${lostAnswer(id, unavailable(LOST))}\n`)
    unanswered.clear()
    calls.clear()
  }
  const answerWaiting = (before: number, why: ExomonadError): void => {
    const late = waiting.filter(({ since }) => since <= before)
    waiting = waiting.filter(({ since }) => since > before)
    for (const { line } of late) {
      const asked = kindOf(line)
      if (asked.kind === 'request') options.output(`${lostAnswer(asked.id, why)}\n`)
    }
  }

  const read = async (): Promise<void> => {
    const decoder = new StringDecoder('utf8')
    const take = lineSplitter((line) => {
      if (connection === undefined) waiting.push({ line, since: Date.now() })
      else send(connection, line)
    })
    for await (const chunk of options.input)
      take(typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk)))
  }
  let endInput = (): void => {}
  const ended = new Promise<void>((resolve) => (endInput = resolve))
  void read()
    .catch(() => {})
    .then(() => {
      inputEnded = true
      connection?.end()
      // A daemon that hangs must not keep the proxy of a client that is gone.
      setTimeout(() => connection?.destroy(), FAREWELL).unref()
      endInput()
    })

  const startedAt = Date.now()
  let everConnected = false
  for (
    let wait: number = RECONNECT.first;
    !inputEnded;
    wait = Math.min(wait * 2, RECONNECT.longest)
  ) {
    const opened = await openStream(options)
    if (opened instanceof ExomonadError) {
      const hopeless =
        opened.code !== 'DAEMON_UNAVAILABLE' ||
        (!everConnected && Date.now() - startedAt > options.timeout)
      // A daemon that refuses says why, to a client that has asked already as well.
      answerWaiting(hopeless ? Number.POSITIVE_INFINITY : Date.now() - options.timeout, opened)
      if (hopeless) throw opened
      await options.whenAway?.()
      await Promise.race([new Promise((resolve) => setTimeout(resolve, wait)), ended])
      continue
    }
    if (everConnected) options.report('the daemon is back')
    everConnected = true
    wait = RECONNECT.first
    const closed = new Promise<void>((resolve) => opened.socket.once('close', () => resolve()))
    connection = opened.socket
    for (const { line } of waiting.splice(0)) send(opened.socket, line)
    if (inputEnded) opened.socket.end()
    received(opened.rest)
    opened.socket.on('data', received)
    opened.socket.resume()
    await closed
    connection = undefined
    if (inputEnded) return
    options.report('the daemon went away; connecting again')
    answerLost()
  }
}

/** The connection, text of it that has come already included; or why there is none. */
function openStream({
  socket: path,
  token,
  as,
}: ProxyOptions): Promise<{ socket: Socket; rest: string } | ExomonadError> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    socket.setEncoding('utf8')
    let text = ''
    const onData = (chunk: unknown): void => {
      text += String(chunk)
      const end = text.indexOf('\r\n\r\n')
      if (end < 0 || !text.startsWith('HTTP/1.1 101 ')) return
      socket.pause()
      socket.off('data', onData)
      resolve({ socket, rest: text.slice(end + 4) })
    }
    socket.on('data', onData)
    socket.on('error', () => {})
    // Anything but an upgrade is an error’s document, after which the daemon closes; resolving
    // twice does nothing.
    socket.once('close', () => resolve(refusal(text)))
    const actingFor = as === undefined ? '' : `X-Exomonad-As: ${encodeURIComponent(as)}\r\n`
    socket.write(
      `GET ${STDIO_PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${STDIO_PROTOCOL}\r\n${SAYS_WRITTEN}: yes\r\nAuthorization: Bearer ${token}\r\n${actingFor}\r\n`,
    )
  })
}

function refusal(text: string): ExomonadError {
  if (!text.startsWith('HTTP/1.1 ')) return unavailable(AWAY)
  try {
    return errorFromAnswer(
      parseJson(text.slice(text.indexOf('\r\n\r\n') + 4)),
      Number(text.slice(9, 12)),
    )
  } catch (cause) {
    return new ExomonadError(
      'INTERNAL',
      'The daemon answered with something else than MCP. Is it of another version? `exomonad daemon stop` ends it.',
      {},
      { cause },
    )
  }
}
