import { createForkServer } from '../../src/processes/fork-server/fork-server.ts'

/**
 * Test helper: runs a command to its end as the daemon does, through one small shell for each worker
 * of the tests. A worker is as large as a daemon and larger: a git that it starts itself costs 8 ms
 * of the processor to copy it, and 3 ms to be run.
 */
export const { exec } = createForkServer()
