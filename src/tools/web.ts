import { z } from 'zod'
import { defineTool } from './define.ts'

export const web = defineTool({
  name: 'web',
  description:
    'A link to the page of this daemon, which shows the tree in a browser of this machine. It lets one browser in, once, within a minute.',
  audience: ['human'],
  exact: ['url'],
  listed: false,
  input: z.object({
    port: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('The page’s port on 127.0.0.1; default: where it is served, or a free one'),
    read_only: z.boolean().default(false).describe('A link to show somebody: it changes nothing'),
  }),
  output: z.object({
    url: z.string(),
    expires_at: z.string().describe('Until when the link can be used. ISO 8601'),
  }),
  command: {
    name: 'web',
    summary: 'Open the page: tree, terminals, reviews and inbox in a browser',
    fields: { port: '-p, --port <number>', read_only: '--read-only' },
    examples: ['exomonad web', 'exomonad web --read-only --no-open'],
  },
  handler: ({ core }, { port, read_only: readOnly }) => core.page.open({ port, readOnly }),
})
