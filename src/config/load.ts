import { readFile } from 'node:fs/promises'
import { TomlError } from 'smol-toml'
import type { z } from 'zod'
import { ExomonadError } from '../domain/errors.ts'
import { checkApplicable, checkReferences } from './check.ts'
import { checkGitea } from './checks/gitea.ts'
import { checkGithub } from './checks/github.ts'
import { checkNotify } from './checks/notify.ts'
import { describeFindings, describeValue, type Finding } from './finding.ts'
import { nearestKey } from './nearest-key.ts'
import { parseToml } from '../domain/formats/parse-toml.ts'
import { configJsonSchema, describeAllowed, schemaAt, type SchemaNode } from './schema-guide.ts'
import { withPresets } from './presets.ts'
import { configSchema, type Config } from './schema.ts'
import { lineOfKey, linesOfKeys } from './toml-lines.ts'

export interface LoadOptions {
  /** Names that roles of one’s own may list; unchecked where left out. */
  readonly toolNames?: readonly string[]
}

/**
 * The configuration in a file, with all defaults, deeply frozen; the defaults alone where there is
 * no file. Throws CONFIG_INVALID with every finding, in the message and in `facts.findings`.
 */
export async function loadConfig(file: string, options: LoadOptions = {}): Promise<Config> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new ExomonadError(
        'CONFIG_INVALID',
        `${file} can’t be read: ${(error as Error).message}.`,
        { file },
        { cause: error },
      )
    }
    text = ''
  }
  return parseConfig(text, file, options)
}

/** The same from a text; `file` is what messages name. */
export function parseConfig(text: string, file: string, options: LoadOptions = {}): Config {
  const written = parseConfigToml(text, file)
  const value = withPresets(written)
  const parsed = configSchema.safeParse(value)
  if (!parsed.success) throw invalid(file, findingsOf(parsed.error, value, text))
  const faults = [
    ...checkReferences(parsed.data, options.toolNames),
    ...checkApplicable(parsed.data, written),
    ...checkGithub(parsed.data),
    ...checkGitea(parsed.data),
    ...checkNotify(parsed.data),
  ]
  if (faults.length > 0) {
    const lines = linesOfKeys(text)
    throw invalid(
      file,
      faults.map(({ path, problem }) => ({
        key: path.map(String).join('.'),
        line: lineOfKey(lines, path),
        problem,
      })),
    )
  }
  return deepFreeze(parsed.data)
}

const invalid = (file: string, findings: readonly Finding[]): ExomonadError =>
  new ExomonadError('CONFIG_INVALID', describeFindings(file, findings), { file, findings })

function parseConfigToml(text: string, file: string): Record<string, unknown> {
  try {
    return parseToml(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [reason = ''] = error.message.split('\n')
    const problem = `not valid TOML (column ${error.column}): ${reason.replace(/^Invalid TOML document: /, '')}`
    throw new ExomonadError(
      'CONFIG_INVALID',
      `${file}:${error.line}: ${problem}\n${error.codeblock.trimEnd()}`,
      { file, findings: [{ key: '', line: error.line, problem } satisfies Finding] },
      { cause: error },
    )
  }
}

function findingsOf(error: z.ZodError, value: unknown, text: string): Finding[] {
  const lines = linesOfKeys(text)
  const schema = configJsonSchema()
  const findings = error.issues.flatMap((issue): Finding[] => {
    const at = (path: readonly PropertyKey[], problem: string): Finding => ({
      key: path.map(String).join('.'),
      line: lineOfKey(lines, path),
      problem,
    })
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) =>
        at(
          [...issue.path, key],
          ELSEWHERE[[...issue.path, key].join('.')] ??
            unknownKey(key, schemaAt(schema, issue.path)),
        ),
      )
    const node = schemaAt(schema, issue.path)
    const found = valueAt(value, issue.path)
    if (found === undefined) return [at(issue.path, `missing; allowed: ${describeAllowed(node)}`)]
    // Of what is no matter of types, its schema says what to write.
    if (issue.code === 'custom' && issue.message !== 'Invalid input')
      return [at(issue.path, `found ${describeValue(found)}. ${issue.message}`)]
    return [at(issue.path, `found ${describeValue(found)}; allowed: ${describeAllowed(node)}`)]
  })
  return findings.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
}

/** What does not stand in this file for a reason of its own. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'store.url':
    'the address of a database may hold a password, and this file is often committed: write it into a file of yours and name that in url_file, or set EXOMONAD_STORE_URL',
}

function unknownKey(key: string, around: SchemaNode | undefined): string {
  const known = Object.keys(around?.properties ?? {})
  const nearest = nearestKey(key, known)
  if (nearest !== undefined) return `unknown key; did you mean ${JSON.stringify(nearest)}?`
  return known.length === 0 ? 'unknown key' : `unknown key; known here: ${known.join(', ')}`
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const step of path)
    found =
      found !== null && typeof found === 'object'
        ? (found as Record<PropertyKey, unknown>)[step]
        : undefined
  return found
}

export function deepFreeze<Value>(value: Value): Value {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}
