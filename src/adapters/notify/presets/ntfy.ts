import { shortened } from '../target.ts'
import type { Preset } from './preset.ts'

/** ntfy makes an attachment of what is longer than 4096 bytes. Characters of up to three. */
const MOST = 1300

/**
 * ntfy takes JSON at the root of a server, with the topic in it; people have the address of the
 * topic. A token in its query (`?auth=`) stays.
 */
export const ntfy: Preset = ({ title, body }, url) => {
  const root = new URL(url)
  const [topic = '', ...before] = url.pathname.split('/').filter(Boolean).toReversed()
  root.pathname =
    before
      .toReversed()
      .map((part) => `/${part}`)
      .join('') + '/'
  return {
    url: root.href,
    json: {
      topic: decodeURIComponent(topic),
      title,
      message: shortened(body === '' ? title : body, MOST),
      tags: ['bell'],
    },
  }
}
