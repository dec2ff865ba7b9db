import { z } from 'zod'
import { defineTool } from '../define.ts'
import { spawnedSession } from '../shapes.ts'

export const spawnBackgroundTask = defineTool({
  name: 'spawn_background_task',
  description:
    'Run a shell command in your worktree while you go on; you are notified when it ends, and agent_result has its exit code and output. Use it for what takes long and decides nothing, such as a test suite, a build or a server; what ends in seconds is for your own shell.',
  audience: ['tl', 'human'],
  keyed: true,
  listed: true,
  exact: ['command'],
  input: z.object({ command: z.string().min(1).describe('For `sh -c`') }),
  output: spawnedSession,
  handler: ({ core, caller, once }, { command }) =>
    core.sessions.spawnTask(caller, command, once?.since),
})
