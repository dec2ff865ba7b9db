import { z } from 'zod'

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
  })
  .prefault({})
