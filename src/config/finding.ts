/** One thing wrong with a configuration file or a template. */
export interface Finding {
  /**
   * Dotted path of the key; empty for the file as a whole. Of a template its name:
   * `templates/note.liquid`.
   */
  readonly key: string
  /** Line in the file, from 1, where it can be determined. */
  readonly line: number | null
  readonly problem: string
}

/** What a value is, for people: `"many" (a string)`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `${shortened(JSON.stringify(value))} (a list)`
  if (value instanceof Date) return `${value.toISOString()} (a date)`
  if (value !== null && typeof value === 'object') return 'a table'
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value))
  return typeof value === 'boolean'
    ? `${text} (true or false)`
    : `${shortened(text)} (a ${typeof value === 'bigint' ? 'number' : typeof value})`
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}…` : text)

/** All findings as one text, a line each. */
export function describeFindings(file: string, findings: readonly Finding[]): string {
  const [only] = findings
  if (findings.length === 1 && only !== undefined) return `${file}${place(only)}: ${sentence(only)}`
  const lines = findings.map(
    (finding) => `  ${finding.line === null ? '' : `line ${finding.line}: `}${sentence(finding)}`,
  )
  return [`${file} has ${findings.length} findings:`, ...lines].join('\n')
}

const place = (finding: Finding): string => (finding.line === null ? '' : `:${finding.line}`)
const sentence = (finding: Finding): string =>
  finding.key === '' ? finding.problem : `${finding.key}: ${finding.problem}`
