import process from 'node:process'
import { runHost } from '../../../processes/host/host-process.ts'
import { TERMINAL_HOST } from '../../../processes/host/location.ts'
import { serveConnection } from './host-connection.ts'
import { createHostedPanes } from './hosted-panes.ts'
import { PROTOCOL } from './protocol.ts'

/** The process that holds the terminals. Started by the headless adapter: `node host.js STATE_FOLDER SOCKET`. */

const [stateDir, socketPath] = process.argv.slice(2)
if (stateDir !== undefined && socketPath !== undefined) {
  runHost({
    names: TERMINAL_HOST,
    protocol: PROTOCOL,
    stateDir,
    socketPath,
    hold: ({ onChange }) => {
      const panes = createHostedPanes({ now: Date.now, onChange })
      return {
        get size() {
          return panes.size
        },
        dispose: () => {
          for (const { paneId } of panes.list()) panes.remove(paneId)
        },
        serve: ({ send }) => serveConnection(send, panes),
      }
    },
  })
}
