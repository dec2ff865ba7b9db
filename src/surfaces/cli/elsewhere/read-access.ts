import type { ExecResult } from '../../../processes/exec.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import { errorFromAnswer } from '../../client.ts'
import { notThere } from './failures.ts'
import type { Target } from './target.ts'

/** What `exomonad __access` prints on the far side, as one line among what else may come. */
export interface AccessDocument {
  /** Version of this document. */
  readonly exomonad_access: 1
  readonly socket: string
  readonly token: string
}

/** What `exomonad __access` said there; throws what was wrong, in words for who is here. */
export function readAccess(
  target: Target,
  { exitCode, stdout, stderr }: ExecResult,
): AccessDocument {
  notThere(target, exitCode)
  for (const line of stdout.split('\n').toReversed()) {
    const document = parse(line)
    if (document === undefined) continue
    if (document['exomonad_access'] === 1) return document as unknown as AccessDocument
    if (typeof document['error'] !== 'string' || typeof document['code'] !== 'string') continue
    const { code, message, facts } = errorFromAnswer(document, 500)
    throw isUnknownCommand(document)
      ? older(target)
      : new ExomonadError(code, `On ${target.name}: ${message}`, facts)
  }
  if (exitCode === 2) throw older(target)
  const said = stderr.trim().split('\n').slice(-5).join('\n')
  throw new ExomonadError(
    'NOT_AVAILABLE',
    `exomonad on ${target.name} did not say where its daemon is (exit code ${exitCode ?? 'none'}).${said === '' ? '' : ` It said:\n${said}`}`,
  )
}

/** Of a version without it; commander’s words. */
const isUnknownCommand = ({ error }: Record<string, unknown>): boolean =>
  /unknown command '__access'/.test(String(error))

const older = ({ name }: Target): ExomonadError =>
  new ExomonadError(
    'NOT_AVAILABLE',
    `exomonad on ${name} is older than --host. Install this version there, too.`,
  )

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return parseJson(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/**
 * Null where both are the same; in words where they differ and still understand each other. Throws
 * NOT_AVAILABLE where they may not: before 1.0 the second number says so, then the first.
 */
export function compareVersions(target: Target, here: string, there: string): string | null {
  if (here === there) return null
  const both = `${target.name} runs exomonad ${there}, and this is ${here}`
  if (line(here) === line(there)) return `${both}: what is newer in one of them may be missing.`
  throw new ExomonadError(
    'NOT_AVAILABLE',
    `${both}. Install the same on both; a daemon that was running during that goes on as it was until \`exomonad --host ${target.name} daemon stop\`.`,
    { here, there },
  )
}

const line = (version: string): string => {
  const [major, minor] = version.split('.')
  return major === '0' ? `0.${minor}` : String(major)
}
