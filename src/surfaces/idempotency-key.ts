import { z } from 'zod'

/**
 * An idempotency key, as a call of a tool that takes one gives it: in the header, or as a field
 * beside the tool’s own. The field goes first.
 */
const HEADER = 'idempotency-key'

export const keyIn = (headers: Readonly<Record<string, unknown>>): string | undefined => {
  const key = headers[HEADER]
  return typeof key === 'string' && key !== '' ? key : undefined
}

export const keyField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe(
    'Asked for again under the same key, it is not done again and returns the same; the header Idempotency-Key says the same',
  )
