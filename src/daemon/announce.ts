import type { Environment } from '../config/environment.ts'
import { writeRepositoryRecord } from '../config/user-state.ts'
import type { EventPayload } from '../events/event.ts'
import type { Publisher } from '../events/publish.ts'
import type { Paths } from '../runtime/paths.ts'
import type { Releaser } from './releaser.ts'

/**
 * Says that the daemon serves: to commands in other folders, which find its socket by a record, and
 * to all who follow events. On release it says that it does not any more.
 */
export async function announce(options: {
  readonly environment: Environment
  readonly commonDir: string
  readonly paths: Paths
  readonly socket: string
  readonly publisher: Publisher
  readonly release: Releaser
  /** What the start found: of `daemon.started`. */
  readonly found: Omit<EventPayload<'daemon.started'>, 'pid'>
}): Promise<void> {
  const { environment, commonDir, paths, socket, publisher, release } = options
  const record = (pid: number | null): Promise<void> =>
    writeRepositoryRecord(environment, { commonDir, home: paths.home, socket, pid })
  const { pid } = process
  await record(pid)
  release.add('record', () => record(null))
  await publisher.publish({
    type: 'daemon.started',
    agentId: null,
    actor: 'daemon',
    payload: { pid, ...options.found },
  })
  release.add('farewell', async () => {
    await publisher.publish({
      type: 'daemon.stopped',
      agentId: null,
      actor: 'daemon',
      payload: { pid },
    })
  })
}
