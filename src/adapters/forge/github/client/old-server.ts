import { ExomonadError } from '../../../../domain/errors.ts'
import { reportsNoLack, type ReportLack } from '../../lack.ts'
import type { Log } from '../../../../runtime/log.ts'
import type { GithubRepository } from '../repository.ts'
import type { Headers } from './limits.ts'
import { withoutFields } from './without-fields.ts'

/** The oldest Enterprise Server whose published schema has all that is asked for. */
export const OLDEST_SERVER = '3.16'

/**
 * What exomonad can do without where a server is too old to know it: in words, what is not seen
 * then, and what is asked for in its place. No argument and no needed field bears such a name, so
 * that they are taken out of a query by it.
 */
export const DISPENSABLE: ReadonlyMap<
  string,
  { readonly lost: string; readonly instead?: string }
> = new Map(
  Object.entries({
    mergeStateStatus: { lost: 'whether GitHub would merge a pull request' },
    reviewDecision: { lost: 'whether a required review is missing' },
    isInMergeQueue: { lost: 'merge queues' },
    mergeQueueEntry: { lost: 'merge queues' },
    mergeQueue: { lost: 'merge queues' },
    isMergeQueueEnabled: { lost: 'merge queues' },
    autoMergeRequest: { lost: 'auto-merge' },
    refUpdateRule: { lost: 'what the protection of a base asks for' },
    isRequired: { lost: 'which checks are required' },
    workflowRun: { lost: 'the workflow of a check' },
    fullDatabaseId: { lost: 'numbers of more than 32 bits', instead: 'fullDatabaseId: databaseId' },
  }),
)
/** All of it is dispensable. */
const RULE = 'RefUpdateRule'

export interface Lacking {
  /** `PullRequest.mergeStateStatus`. */
  readonly field: string
  /** What is not seen without it. */
  readonly lost: string
}

/**
 * What this server turned out not to know. Learned from its answers, and forgotten with the
 * process, or when it has another version.
 */
export interface OldServer {
  /** The query as this server can read it. */
  readable(query: string): string
  /**
   * From an answer to a query: true where that named fields which it can do without, so that the
   * query is to be sent again. Throws FORGE_DENIED where it names one that is needed.
   */
  learn(errors: unknown, headers: Headers): Promise<boolean>
  lacking(): readonly Lacking[]
}

/** The version that an answer names, `3.12.4`; undefined for github.com and GHE.com. */
export const versionIn = (headers: Headers): string | undefined =>
  /\d+\.\d+(?:\.\d+)?/.exec(String(headers['x-github-enterprise-version'] ?? ''))?.[0]

/** That version is older than the oldest that is known to have all. */
export const isTooOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_SERVER.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}

export const serverName = (version: string | undefined): string =>
  version === undefined ? 'this GitHub' : `Enterprise Server ${version}`

export function createOldServer({
  repository: { host },
  log,
  reportLack = reportsNoLack,
  askVersion,
}: {
  repository: Pick<GithubRepository, 'host'>
  log: Log
  reportLack?: ReportLack | undefined
  /** Asks the server itself, where no header says. */
  askVersion: () => Promise<string | undefined>
}): OldServer {
  const missing = new Map<string, Lacking>()
  let learnedOf: string | undefined

  return {
    readable: (query) =>
      withoutFields(
        query,
        new Map([...missing.keys()].map((name) => [name, DISPENSABLE.get(name)?.instead])),
      ),

    lacking: () => [...missing.values()],

    learn: async (errors, headers) => {
      const version = versionIn(headers)
      if (version !== undefined && version !== learnedOf) missing.clear()
      const undefinedFields = fieldsIn(errors)
      if (undefinedFields.length === 0) return false
      learnedOf = version
      const isNeeded = ({ type, name }: UndefinedField): boolean =>
        !DISPENSABLE.has(name) && type !== RULE
      const needed = undefinedFields.filter(isNeeded)
      if (needed.length > 0) {
        const fields = needed.map(({ type, name }) => `${type}.${name}`).join(', ')
        const server = serverName(version ?? (await askVersion().catch(() => undefined)))
        throw new ExomonadError(
          'FORGE_DENIED',
          `${host} does not know ${fields}, which exomonad needs: ${server} is too old. It works with Enterprise Server ${OLDEST_SERVER} and newer: have the server updated, or set forge.kind = "local".`,
          { fields: needed.map(({ type, name }) => `${type}.${name}`) },
        )
      }
      // One that several types lack is reported once.
      const fresh = [...new Map(undefinedFields.map((one) => [one.name, one])).values()].filter(
        ({ name }) => !missing.has(name),
      )
      for (const { type, name } of fresh) {
        const lacking = {
          field: `${type}.${name}`,
          lost: DISPENSABLE.get(name)?.lost ?? 'a part of what the protection of a base asks for',
        }
        missing.set(name, lacking)
        log.warn(
          { host, version, ...lacking },
          `${serverName(version)} does not know a field; it is done without, and this is not seen: ${lacking.lost}`,
        )
        await reportLack({
          key: `field:${lacking.lost}`,
          what: `${serverName(version)} does not say ${lacking.lost}`,
          why: `it does not know ${lacking.field}`,
          fix: `exomonad goes on without; Enterprise Server ${OLDEST_SERVER} and newer have it.`,
        })
      }
      // Not for ever, where taking it out did not help.
      return fresh.length > 0
    },
  }
}

interface UndefinedField {
  readonly type: string
  readonly name: string
}

/** Of errors such as `Field 'x' doesn't exist on type 'Y'`. */
function fieldsIn(errors: unknown): UndefinedField[] {
  const found = (Array.isArray(errors) ? errors : []).flatMap(
    (error: unknown): UndefinedField[] => {
      const { message, extensions } = (
        typeof error === 'object' && error !== null ? error : {}
      ) as { message?: unknown; extensions?: unknown }
      const { code, typeName, fieldName } = (extensions ?? {}) as Record<string, unknown>
      if (
        code === 'undefinedField' &&
        typeof typeName === 'string' &&
        typeof fieldName === 'string'
      )
        return [{ type: typeName, name: fieldName }]
      const [, name, type] =
        /^Field '(\w+)' doesn't exist on type '(\w+)'$/.exec(String(message)) ?? []
      return name === undefined || type === undefined ? [] : [{ type, name }]
    },
  )
  return found.filter(
    ({ type, name }, index) =>
      /^\w+$/.test(name) &&
      found.findIndex((one) => one.type === type && one.name === name) === index,
  )
}
