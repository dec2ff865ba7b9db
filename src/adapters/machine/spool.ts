import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { asExomonadError } from '../../domain/errors.ts'
import { ERRORS } from '../../domain/error-codes.ts'
import type { Log } from '../../runtime/log.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'
import { openPlain } from '../../processes/plain-file.ts'
import { OWN_DESCRIPTORS } from '../../processes/processes.ts'

const spooledSchema = z.object({
  version: z.literal(1),
  event: z.union([
    z.enum(['session-start', 'prompt', 'tool', 'stop', 'waiting', 'session-end']),
    z.templateLiteral(['program/', z.string().regex(/^[A-Za-z0-9._-]{1,64}$/)]),
  ]),
  token: z.string(),
  body: z.record(z.string(), z.unknown()),
})

/**
 * What a hook had to say when the daemon did not answer; hooks/post.sh writes it. `program/EVENT`:
 * in the agent CLI’s own words.
 */
export interface SpooledHook {
  readonly event: z.output<typeof spooledSchema>['event']
  /** Bearer token of the agent that said it. */
  readonly token: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly body: Record<string, unknown>
}

/**
 * Hands over what hooks left in the folder, oldest first, and deletes each file once it was
 * handled: a crash in between means that it is handled again. What can’t be read, or what the
 * handler refuses for good, is moved to `<folder>/broken`; what it refuses for now (status 503)
 * stays for the next time. A missing folder is empty.
 */
export async function readSpool(
  folder: string,
  handle: (hook: SpooledHook) => Promise<void>,
  log: Log,
): Promise<{ handled: number; broken: number; left: number }> {
  const count = { handled: 0, broken: 0, left: 0 }
  for (const { file, name, at } of await filesByAge(folder)) {
    try {
      const { event, token, body } = spooledSchema.parse(parseJson(await readFile(file, 'utf8')))
      await handle({ event, token, at: Math.floor(at), body })
      await rm(file, { force: true })
      count.handled += 1
    } catch (error) {
      const known = asExomonadError(error)
      if (ERRORS[known.code].status === 503) {
        count.left += 1
        continue
      }
      log.warn(
        { file, reason: error instanceof z.ZodError ? 'not a spooled hook' : known.message },
        'a spooled hook could not be used; it was moved aside',
      )
      await mkdir(join(folder, 'broken'), { recursive: true, mode: 0o700 })
      await rename(file, join(folder, 'broken', name))
      count.broken += 1
    }
  }
  return count
}

/** A hook is small; what is larger is none. Bytes. */
const LONGEST = 20_000_000

/**
 * The same of a confined agent’s spool, also oldest first, which lies where the agent writes: it may
 * have put a link in the place of the folder or of a file, or a pipe that nobody writes to. Nothing
 * is followed, and what can’t be read is deleted.
 */
export async function readConfinedSpool(
  folder: string,
  handle: (hook: SpooledHook) => Promise<void>,
  log: Log,
): Promise<void> {
  const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
  const opened = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(() => null)
  if (opened === null) return
  try {
    // By the descriptor: the path may lead elsewhere in the next moment.
    const held = join(OWN_DESCRIPTORS, String(opened.fd))
    for (const { name, file: path } of await byAge(held, await readdir(held))) {
      const file = await openPlain(path)
      try {
        const found = await file?.stat()
        if (file === null || found === undefined || found.size > LONGEST)
          throw new Error('no file of a hook')
        const { event, token, body } = spooledSchema.parse(
          parseJson(await file.readFile({ encoding: 'utf8' })),
        )
        await handle({ event, token, at: Math.floor(found.mtimeMs), body })
      } catch (error) {
        const known = asExomonadError(error)
        if (ERRORS[known.code].status === 503) continue
        log.warn({ name }, 'a spooled hook of a confined agent could not be used; it is deleted')
      } finally {
        await file?.close()
      }
      await unlink(path).catch(() => undefined)
    }
  } finally {
    await opened.close()
  }
}

/**
 * The spools of confined agents, each in the agent’s own folder: in one for all each would read the
 * tokens of the others. `agents`: the folder of those folders.
 */
export async function confinedSpools(agents: string): Promise<string[]> {
  const names = await readdir(agents).catch(() => [])
  return names.map((name) => join(agents, name, 'spool'))
}

/** Files whose name begins with a dot are still being written. */
async function filesByAge(folder: string): Promise<{ file: string; name: string; at: number }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  return byAge(
    folder,
    entries.filter((entry) => entry.isFile()).map(({ name }) => name),
  )
}

/**
 * Their names have the second and the process, which say no order within a second. What has gone
 * meanwhile is left out.
 */
async function byAge(
  folder: string,
  names: readonly string[],
): Promise<{ file: string; name: string; at: number }[]> {
  const aged = await Promise.all(
    names
      .filter((name) => !name.startsWith('.'))
      .map(async (name) => {
        const file = join(folder, name)
        const found = await lstat(file).catch(() => null)
        return found === null ? [] : [{ file, name, at: found.mtimeMs }]
      }),
  )
  return aged.flat().toSorted((one, other) => one.at - other.at || (one.name < other.name ? -1 : 1))
}
