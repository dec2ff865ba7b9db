import { ERRORS } from '../../src/domain/error-codes.ts'
import { table } from './schema-text.ts'

/** Every error code with its HTTP status and what helps. */
export const errorsSection = (): string =>
  [
    '## Error codes',
    'Every error is `{"error": "what happened and what to do", "code": "CODE", …facts}`, over HTTP with the status below.',
    table(
      ['code', 'status', 'meaning', 'what helps'],
      Object.entries(ERRORS)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([code, { status, meaning, remedy }]) => [
          `\`${code}\``,
          String(status),
          meaning,
          remedy,
        ]),
    ),
  ].join('\n\n')
