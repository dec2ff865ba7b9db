import { z } from 'zod'
import { argv } from './schema-fields.ts'

/** `[notify]` in `.exomonad/config.toml`: how a person is told that something needs them. */

/** `[notify.targets.NAME]`. */
const notifyTargetSchema = z
  .strictObject({
    kind: z
      .enum(['desktop', 'webhook', 'command', 'terminal'])
      .describe(
        'desktop: notify-send, on macOS osascript. terminal: terminals that show `exomonad tree --watch`, the console or `exomonad attach` (OSC 9 or 777). command: a program, given the words as its last argument.',
      ),
    after: z
      .number()
      .nonnegative()
      .default(0)
      .describe('What is still open after so long is sent; 0: at once. Seconds.'),
    quiet: z
      .string()
      .optional()
      .describe('Hours in which nothing is sent there. Default: notify.quiet. "off": none.'),
    text: z
      .boolean()
      .optional()
      .describe(
        'Send the words of questions and the like, and not only kinds, agents and counts. Default: false for a webhook, else true.',
      ),
    command: argv.optional().describe('Of kind command: what is run.'),
    preset: z
      .enum(['json', 'slack', 'discord', 'ntfy'])
      .optional()
      .describe('Of kind webhook: what it is sent. Default: json, a document of exomonad’s own.'),
    url_file: z
      .string()
      .optional()
      .describe(
        'Of kind webhook: a file with its address alone, which is a secret. `~/` is your home; what is relative lies in `.exomonad/`.',
      ),
    url_env: z
      .string()
      .optional()
      .describe('Of kind webhook, in place of url_file: a variable of the daemon’s environment.'),
  })
  .meta({ id: 'NotifyTargetConfig' })

export const notifySchema = z
  .strictObject({
    command: argv
      .optional()
      .describe(
        'Run when a human is needed, once for each message; the text is its last argument.',
      ),
    bell: z.boolean().default(true).describe('Ring the terminal bell in `exomonad tree --watch`.'),
    quiet: z
      .string()
      .optional()
      .describe(
        'Hours of local time in which nobody is notified, such as "22:00-07:00". What is still open at their end comes in one message.',
      ),
    targets: z
      .record(z.string(), notifyTargetSchema)
      .default({})
      .describe(
        '[notify.targets.NAME]: where what needs you is sent, at most once a minute each. `exomonad notify test` tries them.',
      ),
  })
  .prefault({})
