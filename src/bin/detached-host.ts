import process from 'node:process'
import { createHeldPanes } from '../adapters/terminals/detached/held.ts'
import { PROTOCOL } from '../adapters/terminals/detached/protocol.ts'
import { serveConnection } from '../adapters/terminals/detached/serve.ts'
import { startOnPipes } from '../processes/start-on-pipes.ts'
import { startPiped } from '../../packages/subagents/src/processes/start-piped.ts'
import { runHost } from '../processes/host/host-process.ts'
import { closeInherited, startingWithoutDescriptors } from '../processes/host/inherited.ts'
import { DETACHED_HOST } from '../processes/host/location.ts'

/**
 * The process that holds agents’ programs, so that they outlive the daemon: terminals, piped
 * processes, and sessions of the Agent Client Protocol. Started by the daemon:
 * `node bin/detached-host.js STATE_FOLDER SOCKET`.
 */

const [stateDir, socketPath] = process.argv.slice(2)
if (stateDir !== undefined && socketPath !== undefined) {
  closeInherited()
  runHost({
    names: DETACHED_HOST,
    protocol: PROTOCOL,
    stateDir,
    socketPath,
    hold: ({ onChange, complain }) => {
      const leaksTerminals = (): boolean => panes.hasTerminals
      const onPipes = startingWithoutDescriptors(startOnPipes, leaksTerminals)
      const panes = createHeldPanes({
        start: onPipes,
        load: {
          terminals: () => import('../adapters/terminals/detached/hosted-pane.ts'),
          sessions: async () => {
            const { createHostedSessions } = await import('../adapters/acp/hosted-session.ts')
            const start = startingWithoutDescriptors(startPiped, leaksTerminals)
            return { createSession: createHostedSessions({ start, startOnPipes: onPipes }) }
          },
        },
        now: Date.now,
        onChange,
        complain,
      })
      return {
        get size() {
          return panes.size
        },
        dispose: panes.dispose,
        serve: (connection) => serveConnection(connection, panes),
      }
    },
  })
}
