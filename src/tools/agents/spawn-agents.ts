import { spawnWorkers } from './spawn-workers.ts'
import { defineTool } from '../define.ts'

export const spawnAgents = defineTool({
  ...spawnWorkers,
  name: 'spawn_agents',
  description: 'The former name of spawn_workers. Use spawn_workers.',
  listed: false,
  deprecated: 'spawn_workers',
})
