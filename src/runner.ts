import process from 'node:process'
import { createHostedSessions } from './adapters/acp/hosted-session.ts'
import { startOnPipes, startPiped } from './processes/exec.ts'
import { runHost } from './processes/host/host-process.ts'
import { closeInherited } from './processes/host/inherited.ts'
import { RUNNER } from './processes/host/location.ts'
import { createEntries } from './adapters/runner/entries.ts'
import { PROTOCOL } from './adapters/runner/protocol.ts'
import { serveRunner } from './adapters/runner/serve.ts'

/**
 * The process that holds what runs without a terminal: piped processes, and sessions of the Agent Client Protocol. Started by the daemon:
 * `node runner.js STATE_FOLDER SOCKET`.
 */

const [stateDir, socketPath] = process.argv.slice(2)
if (stateDir !== undefined && socketPath !== undefined) {
  closeInherited()
  runHost({
    names: RUNNER,
    protocol: PROTOCOL,
    stateDir,
    socketPath,
    hold: ({ onChange, complain }) => {
      const entries = createEntries({
        createSession: createHostedSessions({ start: startPiped, startOnPipes }),
        onChange,
        complain,
      })
      return {
        get size() {
          return entries.size
        },
        dispose: entries.dispose,
        serve: (connection) => serveRunner(connection, entries),
      }
    },
  })
}
