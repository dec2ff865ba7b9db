import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

/** A JSON-lines logger. Secrets never get this far: tokens are redacted by path, and by shape before they are stored. */
export function createLog(options: { level: string; destination: DestinationStream }): Log {
  return pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: ['token', '*.token', 'headers.authorization', 'env'] },
    options.destination,
  )
}

export const silentLog = (): Log => pino({ level: 'silent' })
