import { z } from 'zod'
import { defineTool } from '../define.ts'
import { spawnResult } from '../shapes.ts'

export const spawnGeminiTeammate = defineTool({
  name: 'spawn_gemini_teammate',
  description: 'The former way to spawn one worker. Use spawn_workers.',
  audience: ['tl', 'human'],
  keyed: true,
  listed: false,
  deprecated: 'spawn_workers',
  input: z.object({ name: z.string().min(1), prompt: z.string().min(1) }),
  output: spawnResult,
  handler: ({ core, caller, once }, spec) =>
    core.spawning.spawn(caller, [{ ...spec, kind: 'worker' }], { since: once?.since }),
})
