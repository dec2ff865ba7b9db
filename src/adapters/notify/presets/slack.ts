import { asText } from '../target.ts'
import type { Preset } from './preset.ts'

const MOST = 3000

/** An incoming webhook of Slack: `text` is mrkdwn, in which three characters begin markup. */
export const slack: Preset = (notice, url) => ({
  url: url.href,
  json: {
    text: asText(notice, MOST)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  },
})
