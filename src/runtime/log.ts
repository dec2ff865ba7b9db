import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

/**
 * A JSON-lines logger. Tokens are redacted by path; those of `secrets`, wherever in a line they
 * stand. By shape they are before they are stored.
 */
export function createLog(options: {
  level: string
  destination: DestinationStream
  secrets?: () => readonly string[]
}): Log {
  const { secrets } = options
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['token', '*.token', 'headers.authorization', 'env'],
      ...(secrets === undefined
        ? {}
        : { hooks: { streamWrite: (line) => withoutSecrets(line, secrets()) } }),
    },
    options.destination,
  )
}

const withoutSecrets = (line: string, secrets: readonly string[]): string =>
  secrets.reduce(
    (text, secret) => (secret.length >= 8 ? text.replaceAll(secret, '[redacted]') : text),
    line,
  )

export const silentLog = (): Log => pino({ level: 'silent' })
