import type { TextGate } from '../../sanitize/text-gate.ts'

/** Who wrote a commit, as far as a message names them. */
interface Author {
  readonly name: string
  readonly email: string
}

const KEY = 'co-authored-by:'

/**
 * Co-authored-by trailers of a message. By hand, not by pattern: the text is anybody’s, and of any
 * length.
 */
function coAuthors(message: string): Author[] {
  const authors: Author[] = []
  for (const raw of message.split('\n')) {
    const line = raw.trim()
    const open = line.lastIndexOf('<')
    if (!line.toLowerCase().startsWith(KEY) || !line.endsWith('>') || open < KEY.length) continue
    const author = {
      name: line.slice(KEY.length, open).trim(),
      email: line.slice(open + 1, -1).trim(),
    }
    if (author.name !== '' && author.email !== '') authors.push(author)
  }
  return authors
}

/**
 * Message of a squashed pull request: `title (#n)`, the description, and a Co-authored-by trailer
 * for everybody but the commit’s own author who wrote one of its commits or stands in a trailer of
 * one, each address once. `text` replaces title and description.
 */
export function squashMessage(options: {
  number: number
  title: string
  body: string
  text?: string | undefined
  author: Author
  commits: readonly { author: Author; message: string }[]
  gate: Pick<TextGate, 'text'>
}): string {
  const clean = options.gate.text
  const words = clean(
    options.text ?? `${options.title} (#${options.number})\n\n${options.body}`,
  ).trim()
  const named = new Set([options.author.email.toLowerCase()])
  for (const { email } of coAuthors(words)) named.add(email.toLowerCase())

  const trailers: string[] = []
  const add = ({ name, email }: Author): void => {
    if (named.has(email.toLowerCase())) return
    named.add(email.toLowerCase())
    trailers.push(clean(`Co-authored-by: ${name} <${email}>`).replaceAll('\n', ' '))
  }
  for (const commit of options.commits) {
    add(commit.author)
    for (const author of coAuthors(commit.message)) add(author)
  }
  if (trailers.length === 0) return `${words}\n`
  const lastParagraph = words.slice(words.lastIndexOf('\n\n') + 2)
  const joins =
    words.includes('\n') && lastParagraph.split('\n').every((line) => /^[A-Za-z-]+: /.test(line))
  return `${words}${joins ? '\n' : '\n\n'}${trailers.join('\n')}\n`
}
