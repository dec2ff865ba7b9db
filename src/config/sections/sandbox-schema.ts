import { z } from 'zod'
import { parseAllowed } from '../../domain/formats/allowed-hosts.ts'

const paths = (what: string) => z.array(z.string()).default([]).describe(what)

/** Of `.exomonad/config.toml` what confined agents may reach beside their workspace. */
export const sandboxSchema = z
  .strictObject({
    read: paths(
      'Folders and files that confined agents may read as well, absolute or with ~/ in front, such as "~/.m2".',
    ),
    write: paths(
      'Folders that they may write as well, such as "~/.npm": what they leave there, others will run.',
    ),
    allow_hosts: z
      .array(
        z
          .string()
          .refine(
            (text) => parseAllowed(text) !== undefined,
            'Write NAME, NAME:PORT or *.NAME, such as "packages.example.com".',
          ),
      )
      .default([])
      .describe(
        'Hosts that agents with sandbox = "offline" reach, beside those of their model: NAME or *.NAME (all below it) at ports 80 and 443, NAME:PORT at that one. Through HTTP_PROXY, which is set; 127.0.0.1:PORT directly.',
      ),
  })
  .prefault({})
