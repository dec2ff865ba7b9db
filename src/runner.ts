import process from 'node:process'
import { runHost } from './adapters/outliving/host-process.ts'
import { RUNNER } from './adapters/outliving/location.ts'
import { createEntries } from './adapters/runner/entries.ts'
import { PROTOCOL } from './adapters/runner/protocol.ts'
import { serveRunner } from './adapters/runner/serve.ts'

/**
 * The process that holds what runs without a terminal: piped processes, and sessions of the Agent Client Protocol. Started by the daemon:
 * `node runner.js STATE_FOLDER SOCKET`.
 */

const [stateDir, socketPath] = process.argv.slice(2)
if (stateDir !== undefined && socketPath !== undefined) {
  runHost({
    names: RUNNER,
    protocol: PROTOCOL,
    stateDir,
    socketPath,
    hold: ({ onChange, complain }) => {
      const entries = createEntries({
        createSession: () => {
          throw new Error('this runner can not hold sessions yet')
        },
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
