import { join } from 'node:path'
import type { Config } from '../../../config/schema.ts'
import type { SetupStep } from '../../../config/sections/worktree-schema.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { Agent } from '../../../domain/records.ts'
import type { States } from '../../agents/states.ts'
import type { Deps } from '../../deps.ts'
import type { LimitWatch } from '../../limits/limit-watch.ts'
import type { LaunchEnvironment } from '../launch.ts'
import { confinementOf } from '../confinement.ts'
import { createInclude } from './include.ts'
import type { WorktreeVariables } from './variables.ts'
import { createRunCommand } from './run-command.ts'
import { createSetup } from './setup.ts'

/**
 * Gives a new worktree what its agent needs to begin at once. Returns what it lacks after that, in
 * sentences.
 */
export type Provision = (config: Config, caller: Caller, agent: Agent) => Promise<string[]>

export function createProvision(
  deps: Pick<Deps, 'paths' | 'store' | 'git' | 'files' | 'setupCache' | 'bring'> &
    Pick<LaunchEnvironment, 'environmentOf' | 'confine'> & {
      states: States
      variablesOf: WorktreeVariables
      limits: Pick<LimitWatch, 'behind' | 'explain'>
    },
): Provision {
  const { git, files, states } = deps
  const include = createInclude(deps)
  const setUp = createSetup({ ...deps, runCommand: createRunCommand(deps) })

  /** Beside the state of an agent that is being spawned, as the tree shows it. */
  const sayOf =
    ({ id }: Agent) =>
    async (reason: string): Promise<void> => {
      await states.change(id, {
        to: 'spawning',
        reason,
        source: 'daemon',
        actor: 'daemon',
        onlyIf: ({ state }) => state === 'spawning',
      })
    }

  const emptySubmodules = async (
    { worktree }: Agent,
    unfilled: readonly { path: string; reason: string }[],
  ): Promise<string[]> => {
    // Set-up commands may have filled some meanwhile.
    const left: { path: string; reason: string }[] = []
    for (const one of unfilled)
      if (await files.isEmptyFolder(join(worktree, one.path))) left.push(one)
    if (left.length === 0) return []
    const paths = left.map(({ path }) => path)
    const these =
      paths.length === 1 ? `The submodule ${paths[0]} is` : `The submodules ${paths.join(', ')} are`
    const reasons = left.map(({ path, reason }) => `${path}: ${reason}`).join('; ')
    return [
      `${these} empty in its worktree (${reasons}). \`git submodule update --init --recursive\` in the main worktree brings them from then on; as [worktree] setup it asks their remotes each time.`,
    ]
  }

  const largeFiles = async ({ worktree }: Agent): Promise<string[]> => {
    const left = await git.fillLargeFiles(worktree)
    if (left === null) return []
    const [first = ''] = left.files
    const more = left.files.length - 1
    return [
      `${first} ${more === 0 ? 'is still a pointer' : `and ${more} more are still pointers`} of Git LFS: ${left.reason}.`,
    ]
  }

  return async (config, caller, agent) => {
    const env = { ...deps.environmentOf(config), ...(await deps.variablesOf(agent)) }
    const say = sayOf(agent)
    // A confined parent may put links to what it can’t read into its worktree while it is copied.
    const isFree = (await confinementOf(deps, config, caller.agent)) === 'off'
    const from = isFree ? caller.agent.worktree : deps.paths.home
    const lacking = await include({
      ...{ config, agent, say, from },
      path: env['PATH'] ?? '',
    })
    const unfilled = (await files.exists(join(agent.worktree, '.gitmodules')))
      ? await git.fillSubmodules(agent.worktree, from)
      : []
    const pointers = await largeFiles(agent)
    for (const step of config.worktree.setup)
      lacking.push(...(await setUp({ config, agent, step: setupStep(step), env, say })))
    return [...lacking, ...(await emptySubmodules(agent, unfilled)), ...pointers]
  }
}

/** A list of words is a command without a key. */
const setupStep = (step: readonly string[] | SetupStep): SetupStep =>
  'run' in step ? step : { run: [...step], key: [], outputs: [], method: 'copy' }
