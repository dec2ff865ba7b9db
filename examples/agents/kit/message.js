/**
 * A message as it stands in the pane: one or more texts, each beginning with its tag, and the ids
 * to confirm in the last line. `items` are the texts: `tag` ("PR READY"), `text`, `number` of the
 * pull request and `question` id where one is named.
 */
export function parseMessage(whole) {
  const footer = /\n?\[((?:m-[0-9a-f]+\s*)+)\]\s*$/.exec(whole)
  const body = footer ? whole.slice(0, footer.index) : whole
  return {
    ids: footer ? footer[1].trim().split(/\s+/) : [],
    items: body.split(/\n+(?=\[[A-Z]|got mail from )/).map(parseItem),
  }
}

function parseItem(raw) {
  const text = raw.trim()
  const mail = text.startsWith('got mail from ')
  return {
    text,
    tag: mail ? 'MAIL' : (/^\[([A-Z][A-Z -]*)\]/.exec(text)?.[1] ?? ''),
    number: Number(/#(\d+)/.exec(text)?.[1] ?? 0),
    question: /\bq-[0-9a-f]+\b/.exec(text)?.[0],
  }
}

/** Line comments of a review: `src/interval.ts:18` and what was said of it, up to the next one. */
export function lineComments(text) {
  return [...text.matchAll(/([\w./-]+\.\w+):(\d+)\b[:)\s-]*([^\n]*)/g)].map(
    ([, path, line, comment]) => ({ path, line: Number(line), comment }),
  )
}
