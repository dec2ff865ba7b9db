/**
 * A query without these fields: each with its alias, arguments and selection, and what is then
 * empty, unused or not declared for anything. `instead`: what is asked for in a field’s place.
 * Names that are also those of arguments, types or other fields are taken out there too.
 */
export function withoutFields(
  query: string,
  fields: ReadonlyMap<string, string | undefined>,
): string {
  let text = query
  for (const [name, instead = ''] of fields) text = withoutField(text, name, instead)
  if (text === query) return query
  return withoutVariables(withoutFragments(withoutEmpty(text)))
}

function withoutField(query: string, name: string, instead: string): string {
  const field = new RegExp(`(?<=[\\s{}])(?:\\w+\\s*:\\s*)?${name}(?=[\\s(){}])`, 'g')
  let text = ''
  let from = 0
  for (const match of query.matchAll(field)) {
    if (match.index < from || /(?:\bfragment|\bon|\.\.\.)\s*$/.test(query.slice(0, match.index)))
      continue
    text += query.slice(from, match.index) + instead
    from = match.index + match[0].length
    for (const open of ['(', '{']) {
      const next = from + (/^\s*/.exec(query.slice(from))?.[0].length ?? 0)
      if (query[next] === open) from = endOf(query, next)
    }
  }
  return text + query.slice(from)
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '{': '}' }

/** Behind the bracket that closes the one at that place. */
function endOf(text: string, at: number): number {
  const open = text[at] ?? ''
  let depth = 0
  for (let index = at; index < text.length; index++) {
    if (text[index] === open) depth++
    else if (text[index] === CLOSING[open] && --depth === 0) return index + 1
  }
  return text.length
}

/** A field whose selection is empty is no field. */
function withoutEmpty(query: string): string {
  const text = query.replace(/(?:\w+\s*:\s*)?\w+\s*(?:\([^(){}]*\)\s*)?\{\s*\}/g, '')
  return text === query ? query : withoutEmpty(text)
}

function withoutFragments(query: string): string {
  for (const { 0: head, 1: name = '', index } of query.matchAll(
    /\bfragment\s+(\w+)\s+on\s+\w+\s*(?=\{)/g,
  )) {
    if (new RegExp(`\\.\\.\\.\\s*${name}\\b`).test(query)) continue
    return withoutFragments(query.slice(0, index) + query.slice(endOf(query, index + head.length)))
  }
  return query
}

/** What is declared has to be used. */
function withoutVariables(query: string): string {
  const start = query.indexOf('(')
  if (start === -1 || start > query.indexOf('{')) return query
  const end = endOf(query, start)
  const rest = query.slice(end)
  const declared = query.slice(start + 1, end - 1).split(/,\s*/)
  const used = declared.filter((one) =>
    new RegExp(`\\$${/\$(\w+)/.exec(one)?.[1] ?? ''}\\b`).test(rest),
  )
  return `${query.slice(0, start)}${used.length === 0 ? '' : `(${used.join(', ')})`}${rest}`
}
