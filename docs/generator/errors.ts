import { ERRORS, type ErrorCode } from '../../src/domain/error-codes.ts'
import { ADVICE } from './advice.ts'

/** Every error code with its HTTP status, what it means and what to do. */
export const errorsSection = (): string =>
  [
    '# Error codes',
    'Every error is `{"error": "what happened and what to do", "code": "CODE", …facts}`, over HTTP with the status that stands beside its code. The message itself has the facts; here is what to do when it is not enough. What shows itself without a code is in [troubleshooting](../troubleshooting.md).',
    ...Object.entries(ERRORS)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([code, { status, meaning, remedy }]) => [
        `## ${code}`,
        `${meaning} (HTTP ${status})`,
        [remedy, ...(ADVICE[code as ErrorCode] ?? [])].map((step) => `- ${step}`).join('\n'),
      ]),
  ].join('\n\n')
