import { join } from 'node:path'
import type { Config } from '../../../config/schema.ts'
import type { SetupStep } from '../../../config/sections/worktree-schema.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Agent } from '../../../domain/records.ts'
import type { Deps } from '../../deps.ts'
import { confinementOf } from '../confinement.ts'
import { KilledMeanwhile, whileSpawning } from './while-spawning.ts'
import { coversFolder, isGlob } from './globs.ts'
import type { RunCommand } from './run-command.ts'

/** One set-up command in one new worktree. */
interface SetupRun {
  readonly config: Config
  readonly agent: Agent
  readonly step: SetupStep
  readonly env: Readonly<Record<string, string>>
  /** Shows what is being done, and for what it waits. */
  readonly say: (words: string) => Promise<void>
}

/**
 * Runs set-up commands: those with a key once for each key, however many worktrees ask for it at
 * once. Whoever comes while it runs waits for that run, and fails with it, but not where that one’s
 * agent was killed. What runs ends with its agent.
 */
export function createSetup({
  git,
  files,
  paths,
  store,
  setupCache,
  runCommand,
}: Pick<Deps, 'git' | 'files' | 'paths' | 'store' | 'setupCache'> & {
  runCommand: RunCommand
}): (run: SetupRun) => Promise<string[]> {
  /** By key what runs now, and whose worktree it runs in. */
  const running = new Map<string, { work: Promise<string[]>; name: string }>()

  const runHere = async ({ config, agent, step, env, say }: SetupRun): Promise<void> => {
    const command = step.run.join(' ')
    await say(`set-up: ${command}`)
    const log = files.setupLog(agent.id)
    const timeoutMs = config.worktree.setup_timeout * 1000
    const result = await whileSpawning({ store }, agent, (signal) =>
      runCommand({ config, agent, argv: step.run, env, timeoutMs, signal }),
    )
    if (result.ok) return
    throw new ExomonadError(
      'SPAWN_FAILED',
      `The set-up command \`${command}\` failed in ${agent.worktree}: ${result.output}\nAll that it wrote is in ${log}.`,
      { command: step.run, log },
    )
  }

  /** What it made, of what is to be kept: paths without one inside another. */
  const outputsIn = async (worktree: string, patterns: readonly string[]): Promise<string[]> => {
    const found = new Set<string>()
    for (const path of patterns.filter((pattern) => !isGlob(pattern)))
      if (await files.exists(join(worktree, path))) found.add(path.replace(/\/+$/, ''))
    const globs = patterns.filter(isGlob)
    if (globs.length > 0)
      for (const entry of await git.ignoredEntries(worktree)) {
        const path = entry.replace(/\/$/, '')
        if (globs.some((glob) => coversFolder(glob, path))) found.add(path)
      }
    return [...found]
      .filter((path) => ![...found].some((other) => path.startsWith(`${other}/`)))
      .toSorted()
  }

  /** What confined agents’ code made is never brought to those who are less so. */
  const keyOf = async (
    { config, agent, step: { run, key, outputs } }: SetupRun,
    path: string,
  ): Promise<string | null> => {
    const { worktree } = agent
    const level = await confinementOf({ store, paths }, config, agent)
    const made = level === 'off' ? outputs : [...outputs, `sandbox: ${level}`]
    const tracked = await git.trackedFiles(worktree, key.filter(isGlob))
    const named = [...new Set([...key.filter((name) => !isGlob(name)), ...tracked])].toSorted()
    return setupCache.keyOf(worktree, { run, files: named, outputs: made }, path)
  }

  /** Why its outputs are not kept; nothing where they are. The worktree itself is complete. */
  const keep = async (hash: string, run: SetupRun): Promise<string[]> => {
    try {
      return await tryToKeep(hash, run)
    } catch (thrown) {
      return [notKept(run.step, thrown instanceof Error ? thrown.message : String(thrown))]
    }
  }

  const tryToKeep = async (hash: string, { config, agent, step, env, say }: SetupRun) => {
    const warns = (why: string) => [notKept(step, why)]
    const outputs = await outputsIn(agent.worktree, step.outputs)
    if (outputs.length === 0) return warns(`it left none of ${step.outputs.join(', ')}`)
    await say(`set-up: keeping ${outputs.join(', ')}`)
    const kept = await setupCache.keep(hash, {
      worktree: agent.worktree,
      outputs,
      method: step.method,
      path: env['PATH'] ?? '',
      bounds: boundsOf(config),
    })
    if (kept === 'kept') return []
    return warns(
      kept === 'linked'
        ? 'a symbolic link is on the way to one of them'
        : 'they are larger than [worktree] setup_cache_mb and setup_cache_entries allow',
    )
  }

  const setUp = async (wanted: SetupRun): Promise<string[]> => {
    const { agent, step, env, say } = wanted
    if (step.key.length === 0) {
      await runHere(wanted)
      return []
    }
    const path = env['PATH'] ?? ''
    const tracked = await git.trackedFiles(agent.worktree, step.outputs)
    const hash = tracked.length > 0 ? null : await keyOf(wanted, path)
    if (hash === null) {
      await runHere(wanted)
      const why =
        tracked.length > 0
          ? `git tracks ${tracked.slice(0, 3).join(', ')} among them`
          : `its key is not there, or no plain file of the worktree (${step.key.join(', ')})`
      return [notKept(step, why)]
    }
    const restore = async (): Promise<boolean> =>
      setupCache.restore(hash, { worktree: agent.worktree, method: step.method, path })
    const other = running.get(hash)
    if (other !== undefined) {
      await say(`set-up: waiting for \`${step.run.join(' ')}\` of ${other.name}`)
      const warnings = await other.work.catch((error: unknown) => {
        if (error instanceof KilledMeanwhile) return null
        throw error
      })
      if (warnings === null) return await setUp(wanted)
      // What could not be kept is made by each for itself.
      if (await restore()) return []
      await runHere(wanted)
      return warnings
    }
    const work = (async () => {
      await say(`set-up: looking for what \`${step.run.join(' ')}\` made before`)
      if (await restore()) return []
      await runHere(wanted)
      return keep(hash, wanted)
    })()
    running.set(hash, { work, name: agent.name })
    try {
      return await work
    } finally {
      running.delete(hash)
    }
  }
  return setUp
}

const notKept = ({ run }: SetupStep, why: string): string =>
  `The outputs of \`${run.join(' ')}\` are not kept for other worktrees: ${why}.`

export const boundsOf = ({ worktree }: Config) => ({
  bytes: worktree.setup_cache_mb * 1_000_000,
  entries: worktree.setup_cache_entries,
})
