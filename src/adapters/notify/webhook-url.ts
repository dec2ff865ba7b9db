/**
 * The address of a webhook, from a file or a variable of the daemon’s own; throws in words for a
 * person. `where`: the key that names it.
 */
export async function readWebhookUrl(options: {
  readonly where: string
  readonly file: string | undefined
  readonly variable: string | undefined
  readonly readFile: (file: string) => Promise<string>
  readonly variables: Readonly<Record<string, string>>
  /** Whether a secret may be sent there. */
  readonly isSafe: (url: string) => boolean
}): Promise<URL> {
  const { where, file, variable = '', variables, isSafe } = options
  const named = file === undefined ? `$${variable}` : file
  const text =
    file === undefined ? (variables[variable] ?? '').trim() : await options.readFile(file)
  if (text === '') {
    throw new Error(
      `${named}, which ${where} names, is not set in the daemon’s environment. Set it and restart the daemon (\`exomonad daemon stop\`, then \`start\`), or use url_file`,
    )
  }
  if (!URL.canParse(text) || !isSafe(text)) {
    throw new Error(
      `${named}, which ${where} names, holds no address that begins with https:// (http:// only for this machine)`,
    )
  }
  return new URL(text)
}
