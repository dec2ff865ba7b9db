import type { Preset } from './preset.ts'

/**
 * A document of exomonad’s own (docs/overnight.md): `id` of the message and of each item stay the same
 * where it is sent again, so that the receiver can tell.
 */
export const json: Preset = ({ id, title, body, items, test }, url) => ({
  url: url.href,
  json: {
    version: 1,
    id,
    test,
    title,
    body,
    count: items.length,
    items: items.map(({ id: itemId, kind, event, agent, at, text }) => ({
      ...{ id: itemId, kind, event, agent, at: new Date(at).toISOString() },
      ...(text === undefined ? {} : { text }),
    })),
  },
})
