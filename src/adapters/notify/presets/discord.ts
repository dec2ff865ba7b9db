import { asText } from '../target.ts'
import type { Preset } from './preset.ts'

/** Longest content that Discord takes. Characters. */
const MOST = 2000

/** A webhook of Discord. Nobody is called by a name in the words (`@everyone`). */
export const discord: Preset = (notice, url) => ({
  url: url.href,
  json: { content: asText(notice, MOST), allowed_mentions: { parse: [] } },
})
