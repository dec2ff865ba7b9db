import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import type { TreeView } from '../../../core/agents/tree-document.ts'
import {
  listRepositoryRecords,
  readOwnerToken,
  removeUserState,
  type RepositoryRecord,
} from '../../../config/user-state.ts'
import { createClient } from '../../client.ts'
import { assertHuman } from '../connect.ts'
import type { CliContext } from '../context.ts'
import { shortDuration } from '../../text/duration.ts'
import { askHealth } from '../daemon/health.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { shortPath } from '../../text/short-path.ts'
import { renderTable, tableWidth } from '../../text/table.ts'

interface RepositoryState {
  readonly repository: string
  readonly common_dir: string
  readonly socket: string
  /** `silent`: it runs and does not answer just now. */
  readonly state: 'running' | 'silent' | 'stopped' | 'gone'
  readonly pid: number | null
  readonly version: string | null
  readonly uptime_seconds: number | null
  readonly agents: TreeView['counts'] | null
}

export function define(command: Command, context: CliContext): void {
  command
    .option('--prune', 'Forget repositories that are gone')
    .action(async (options: { prune?: boolean }) => {
      await assertHuman(context.options().cwd, context.environment, null)
      const records = await listRepositoryRecords(context.environment)
      const all = await Promise.all(records.map((record) => look(record, context)))
      const gone = options.prune === true ? all.filter(({ state }) => state === 'gone') : []
      for (const repository of gone)
        await removeUserState(context.environment, repository.common_dir)
      const repositories = all.filter((repository) => !gone.includes(repository))
      present(context, { repositories }, () => describe(context, repositories))
    })
}

/** Limit for each daemon, so that one that hangs holds nobody up. Milliseconds. */
const LIMIT = 1500

async function look(record: RepositoryRecord, context: CliContext): Promise<RepositoryState> {
  const base = { repository: record.home, common_dir: record.commonDir, socket: record.socket }
  const health = await askHealth(record.socket, LIMIT)
  if (health === 'silent')
    return {
      ...base,
      state: 'silent',
      pid: record.pid,
      version: null,
      uptime_seconds: null,
      agents: null,
    }
  if (health === 'absent') {
    const there = await stat(record.commonDir)
      .then(() => true)
      .catch(() => false)
    return {
      ...base,
      state: there ? 'stopped' : 'gone',
      pid: null,
      version: null,
      uptime_seconds: null,
      agents: null,
    }
  }
  const token = await readOwnerToken(context.environment, record.commonDir)
  const client = createClient({ socket: record.socket, token: token ?? '' })
  const view = await client
    .call('tree', {}, { signal: AbortSignal.timeout(LIMIT) })
    .catch(() => null)
  const { pid, version, uptime_seconds } = health
  return {
    ...base,
    state: 'running',
    pid,
    version,
    uptime_seconds: uptime_seconds ?? null,
    agents: view?.counts ?? null,
  }
}

function describe(context: CliContext, repositories: readonly RepositoryState[]): string[] {
  if (repositories.length === 0)
    return ['exomonad is set up in no repository of yours. `exomonad init` does that.']
  const palette = context.palette()
  const rows = repositories.map((repository) => [
    printableLine(shortPath(repository.repository, context.environment.home)),
    repository.state === 'running'
      ? { text: '● running', paint: palette.good }
      : repository.state === 'silent'
        ? { text: '● silent', paint: palette.attention }
        : { text: `○ ${repository.state}`, paint: palette.dim },
    repository.pid === null ? '' : String(repository.pid),
    repository.uptime_seconds === null ? '' : shortDuration(repository.uptime_seconds),
    repository.agents === null ? '' : `${repository.agents.live} of ${repository.agents.agents}`,
    repository.version ?? '',
  ])
  return renderTable(
    [
      { title: 'REPOSITORY', min: 16 },
      { title: 'DAEMON' },
      { title: 'PID', align: 'end' },
      { title: 'UP', align: 'end' },
      { title: 'LIVE', align: 'end' },
      { title: 'VERSION' },
    ],
    rows,
    { width: tableWidth(context), palette },
  )
}
