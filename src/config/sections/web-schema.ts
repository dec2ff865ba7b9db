import { z } from 'zod'

/** `[web]`: the page of `exomonad web`. */
export const webSchema = z
  .strictObject({
    port: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe(
        'Serve the page on this port of 127.0.0.1 as long as the daemon runs. Without, it is served once `exomonad web` asks for it, on a free port. Read when the daemon starts.',
      ),
    hosts: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Further names that the page is reached by, such as that of a proxy with TLS in front of it. Others than these and localhost are refused.',
      ),
  })
  .prefault({})
