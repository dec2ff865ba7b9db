import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { other, pull } from '../shapes.ts'
import { words } from '../words.ts'

export const foldRed = defineEvent({
  type: 'fold.red',
  summary:
    'Which pull request makes the chain of its base red, by itself or together with others that are green without it; found before any of them lands.',
  payload: {
    /** Of work that is not filed yet its number is negative, and it has no URL. */
    ...pull,
    /** Null: it is red by itself, which its checks say. */
    partner: other.nullable(),
    /** Where it takes more than two, the others: it is green without any one of them. */
    others: z.array(other),
    /** It is the one that was taken out of the chain. */
    out: z.boolean(),
    /** Both are filed. Else they are still being worked on, and nobody is interrupted. */
    filed: z.boolean(),
    log: z.string(),
    log_url: z.string().nullable(),
  },
  // What is red by itself is sent as `ci.failed`. Of several each is notified, the parent once.
  tells: ({ partner, out, filed }) => {
    if (partner === null) return {}
    const reach = filed ? 'wake' : 'carry'
    return { owner: reach, ...(out && { parent: reach }) }
  },
  line: [
    '✗',
    'bad',
    (p) =>
      p.partner == null
        ? words`#${p.number} makes ${p.base} red`
        : words`${listOf([p, p.partner, ...(p.others ?? [])])} are red together on ${p.base}`,
  ],
})

const listOf = (pulls: readonly Parameters<typeof nameOf>[0][]): string =>
  `${pulls.slice(0, -1).map(nameOf).join(', ')} and ${pulls.slice(-1).map(nameOf).join('')}`

const nameOf = ({
  number = 0,
  title,
}: {
  number?: number | undefined
  title?: string | undefined
}) => (number < 0 ? words`${title}` : words`#${number}`)
