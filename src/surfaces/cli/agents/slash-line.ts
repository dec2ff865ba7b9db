/** A line of the slash form, understood. */
export type SlashLine =
  | { readonly kind: 'fork'; /** Null for a child that inherits. */ readonly prompt: string | null }
  | { readonly kind: 'send'; readonly to: string; readonly message: string }
  | { readonly kind: 'check-mail' }
  | { readonly kind: 'kill'; readonly agent: string }
  | { readonly kind: 'error'; readonly message: string }

export const SLASH_FORMS = [
  '/slash fork [PROMPT]',
  '/slash send ID MESSAGE',
  '/slash check-mail',
  '/slash kill ID',
] as const

/**
 * Reads `/slash COMMAND …`, `/COMMAND …` or `COMMAND …`. Quotes around a whole prompt, message or
 * id are not part of it.
 */
export function parseSlashLine(line: string): SlashLine {
  const [command, rest] = firstWord(line.trim().replace(/^\/?slash(?=\s|$)\s*/, ''))
  switch (command.replace(/^\//, '')) {
    case 'fork': {
      const prompt = unquoted(rest)
      if (rest !== '' && prompt.trim() === '') return error('The prompt is empty.')
      return { kind: 'fork', prompt: rest === '' ? null : prompt }
    }
    case 'send': {
      const [to, text] = firstWord(rest)
      const message = unquoted(text)
      if (to === '') return error('To whom?')
      if (message.trim() === '') return error('The message is empty.')
      return { kind: 'send', to: unquoted(to), message }
    }
    case 'check-mail':
    case 'check_mail':
      return rest === '' ? { kind: 'check-mail' } : error('check-mail takes no arguments.')
    case 'kill': {
      const agent = unquoted(rest)
      if (agent === '') return error('Which agent?')
      return /\s/.test(agent) ? error('kill takes one agent.') : { kind: 'kill', agent }
    }
    case '':
      return error('There is no command.')
    default:
      return error(`There is no command ${command}.`)
  }
}

const error = (what: string): SlashLine => ({
  kind: 'error',
  message: `${what} The forms are: ${SLASH_FORMS.join(' · ')}`,
})

/** The first word, and what follows it. */
function firstWord(text: string): [word: string, rest: string] {
  const word = /^\S*/.exec(text)?.[0] ?? ''
  return [word, text.slice(word.length).trim()]
}

/**
 * Without the quotes around the whole of it, if it has them: `"a"` and `'a'`, but not
 * `"a" and "b"`. In double quotes `\"` and `\\` stand for `"` and `\`.
 */
function unquoted(text: string): string {
  const double = /^"((?:[^"\\]|\\[^])*)"$/.exec(text)?.[1]
  if (double !== undefined) return double.replace(/\\(["\\])/g, '$1')
  return /^'([^']*)'$/.exec(text)?.[1] ?? text
}
