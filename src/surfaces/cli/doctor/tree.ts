import { rm, stat } from 'node:fs/promises'
import type { TreeNode, TreeView } from '../../../core/agents/tree-document.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import { childBranch, type BranchName, type Slug } from '../../../domain/ids.ts'
import { isInWorktrees } from '../../../runtime/paths.ts'
import type { Client } from '../../client.ts'
import type { CliContext } from '../context.ts'
import { subjectOf } from '../daemon/daemon.ts'
import { ensureDaemon } from '../daemon/daemon-process.ts'
import type { Diagnosis } from './diagnosis.ts'
import { forgeWords } from '../../text/forge-words.ts'
import { askHealth, type Health } from '../daemon/health.ts'
import { isOtherBuild, RESTART } from '../daemon/other-build.ts'
import type { LocatedRepository } from '../locate.ts'
import { needWords } from '../../text/need-words.ts'
import { isOneTask } from '../../text/no-terminal.ts'
import { plural } from '../../text/quantity.ts'
import { relativeTime } from '../../text/relative-time.ts'
import { rootElsewhere } from '../agents/root-elsewhere.ts'

/** The daemon and the tree it serves, and what lies about in the repository that no agent owns. */
export async function diagnoseTree(
  context: CliContext,
  located: LocatedRepository,
): Promise<Diagnosis[]> {
  const health = await askHealth(located.file.socket)
  // Its socket is no leftover, and what it owns is not known.
  if (health === 'silent')
    return [
      {
        subject: 'daemon',
        status: 'problem',
        found: 'runs and does not answer; it may be busy',
        fix: 'exomonad daemon logs',
      },
    ]
  if (health === 'absent')
    return [
      ...(await withoutDaemon(context, located)),
      ...(await leftovers(context, located, null)),
    ]
  const daemon: Diagnosis = isOtherBuild(health, context)
    ? {
        subject: 'daemon',
        status: 'warning',
        found:
          health.version === context.version
            ? `runs another build of version ${health.version} than this`
            : `runs version ${health.version}; this is ${context.version}`,
        fix: RESTART,
      }
    : {
        subject: 'daemon',
        status: 'ok',
        found: `process ${health.pid}, version ${health.version}`,
      }
  try {
    const client = await context.client({ start: false })
    const view = await client.call('tree', {})
    const reaped = await reapedPlaces(client, view)
    return [
      daemon,
      ...forgeHealth(view),
      ...notifyTrouble(health, context.now()),
      ...(await rootBranch(context, view)),
      ...agents(view),
      ...(await leftovers(context, located, {
        owners: [...all(view.root), ...reaped],
        root: view.root,
      })),
    ]
  } catch (error) {
    return [daemon, { subject: 'tree', status: 'problem', found: asExomonadError(error).message }]
  }
}

async function withoutDaemon(
  context: CliContext,
  located: LocatedRepository,
): Promise<Diagnosis[]> {
  const { socket } = located.file
  const stale = await stat(socket)
    .then(() => true)
    .catch(() => false)
  return [
    {
      subject: 'daemon',
      status: 'warning',
      found: stale ? 'not running; a socket of an earlier one is left' : 'not running',
      fix: 'exomonad daemon start',
      repair: async () => {
        if (stale) await rm(socket, { force: true })
        const { health } = await ensureDaemon(subjectOf(located, context))
        return `started, process ${health.pid}`
      },
    },
  ]
}

/**
 * What keeps the daemon from its forge, as the daemon reports it: the token it has may be another
 * than the one in this shell.
 */
function forgeHealth({ forge }: TreeView): Diagnosis[] {
  const found = forgeWords(forge)
  return found === null
    ? []
    : [{ subject: 'forge', status: forge.trouble === null ? 'warning' : 'problem', found }]
}

/** What keeps a person from being told. */
const notifyTrouble = ({ notify_trouble: found = [] }: Health, now: number): Diagnosis[] =>
  found.map(({ target, since, reason }) => ({
    subject: 'notify',
    status: 'warning',
    found: `${target} could not be reached, first ${relativeTime(since, now)}: ${reason}`,
    fix: `exomonad notify test ${target}; what waits is sent once it answers`,
  }))

/** Where the person went: the tree does not follow by itself. */
async function rootBranch({ host }: CliContext, { root }: TreeView): Promise<Diagnosis[]> {
  const facts = await host.inspectRepository(root.worktree).catch(() => null)
  if (facts === null)
    return [
      {
        subject: 'root',
        status: 'problem',
        found: `the worktree ${root.worktree} can’t be read`,
        fix: `Bring it back on ${root.branch}`,
      },
    ]
  const found = rootElsewhere(
    root.branch,
    facts.head.kind === 'detached' ? null : facts.head.branch,
    root.worktree,
  )
  return found === null
    ? []
    : [
        {
          subject: 'root',
          status: 'warning',
          found,
          fix: `git checkout ${root.branch}, or exomonad root move`,
        },
      ]
}

interface Place {
  readonly branch: string
  readonly worktree: string
}

const all = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(all)]

function agents(view: TreeView): Diagnosis[] {
  const nodes = all(view.root)
  // A task that failed is its asker’s business: they were notified, and it can’t be begun again.
  const crashed = nodes.filter(
    (node) => node.kind !== 'root' && node.state === 'failed' && !isOneTask(node),
  )
  const undecided = nodes.filter((node) => node.undecided > 0)
  const findings: Diagnosis[] = []
  // Younger ones may just be under way.
  for (const { kind, step, age_seconds: age, facts } of view.unfinished.filter(
    (entry) => entry.age_seconds > 120,
  )) {
    findings.push({
      subject: 'journal',
      status: 'warning',
      found: `a ${kind} of ${subjectIn(facts)} ${kind === 'clean' ? 'began' : 'was cut off'} ${Math.round(age / 60)} min ago${kind === 'clean' ? ', is' : ''} at “${step}” and is not settled`,
      fix: 'It is tried again by itself; exomonad daemon logs says what stands in the way',
    })
  }
  if (crashed.length > 0) {
    findings.push({
      subject: 'agents',
      status: 'warning',
      found: `${plural(crashed.length, 'agent')} failed: ${crashed.map((node) => node.name).join(', ')}`,
      fix: 'exomonad logs AGENT says why; exomonad resume AGENT starts it again',
    })
  }
  if (undecided.length > 0) {
    findings.push({
      subject: 'messages',
      status: 'warning',
      found: `nobody knows whether messages to ${undecided.map((node) => node.name).join(', ')} arrived`,
      fix: 'exomonad events --type delivery.undecided shows them; look into the terminal (exomonad logs AGENT), and send again what is missing',
    })
  }
  if (view.inbox.items > 0) {
    findings.push({
      subject: 'inbox',
      status: 'warning',
      found: `${needWords(view.inbox)} you`,
      fix: 'exomonad inbox',
    })
  }
  return findings.length > 0
    ? findings
    : [
        {
          subject: 'tree',
          status: 'ok',
          found: `${plural(view.counts.agents, 'agent')}, ${view.counts.live} live`,
        },
      ]
}

const subjectIn = ({ branch, head, wanted }: Record<string, unknown>): string =>
  Array.isArray(wanted) ? plural(wanted.length, 'agent') : String(branch ?? head ?? 'a branch')

/**
 * Places of agents that were reaped, which the tree does not show; what is cleaned away has none.
 */
async function reapedPlaces(client: Client, view: TreeView): Promise<Place[]> {
  const shown = new Set(all(view.root).map((node) => node.branch))
  // Agents may run the doctor, too, and may not clean.
  const { removed, kept } = await client
    .call('clean', { dry_run: true })
    .catch(() => ({ removed: [], kept: [] }))
  return [...removed, ...kept].filter(({ branch }) => !shown.has(branch))
}

/**
 * Worktrees whose folder is gone, folders and branches that look like an agent’s and belong to
 * none.
 */
async function leftovers(
  context: CliContext,
  { paths }: LocatedRepository,
  tree: { owners: readonly Place[]; root: Place } | null,
): Promise<Diagnosis[]> {
  try {
    const git = await context.host.git(paths.commonDir)
    const worktrees = (await git.worktrees()).filter(({ path }) => isInWorktrees(path, paths))
    const findings: Diagnosis[] = []
    const gone = worktrees.filter((worktree) => worktree.prunable)
    if (gone.length > 0) {
      findings.push({
        subject: 'worktrees',
        status: 'warning',
        found: `the folder is gone: ${gone.map((worktree) => worktree.path).join(', ')}`,
        fix: 'git worktree prune (the branches stay)',
        repair: async () => {
          for (const worktree of gone) await git.removeWorktree(worktree.path)
          return `${plural(gone.length, 'entry', 'entries')} pruned`
        },
      })
    }
    if (tree === null) return findings
    const owned = new Set(tree.owners.map(({ worktree }) => worktree))
    const stray = worktrees.filter((worktree) => !worktree.prunable && !owned.has(worktree.path))
    if (stray.length > 0) {
      findings.push({
        subject: 'worktrees',
        status: 'warning',
        found: `no agent owns ${stray.map((worktree) => worktree.path).join(', ')}`,
        fix: 'Look into them; `git worktree remove PATH` takes one away, `exomonad spawn workers NAME=… --branch BRANCH` gives it an agent',
      })
    }
    const branches = new Set(tree.owners.map(({ branch }) => branch))
    const below = childBranch(tree.root.branch as BranchName, '' as Slug)
    const orphans = [...(await git.branches()).keys()].filter(
      (branch) => branch.startsWith(below) && !branches.has(branch),
    )
    if (orphans.length > 0) {
      findings.push({
        subject: 'branches',
        status: 'note',
        found: `no agent owns ${orphans.join(', ')}`,
        fix: '`git branch -d BRANCH` removes those that are merged',
      })
    }
    return findings
  } catch (error) {
    return [{ subject: 'worktrees', status: 'problem', found: asExomonadError(error).message }]
  }
}
