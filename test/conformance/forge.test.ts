import { rmSync } from 'node:fs'
import { newAgentId } from '../../src/domain/ids.ts'
import { openLocalForge } from '../helpers/local-forge.ts'
import { forgeSuite } from './forge.ts'

forgeSuite(
  'local',
  {
    mergesItself: true,
    hosted: false,
    closesEmptied: false,
    squashAuthor: 'first',
    takesRanges: true,
  },
  async () => {
    const local = await openLocalForge({ name: 'a répo with 空白' })
    return {
      ...local,
      reviewer: 'human',
      merger: 'human',
      agentId: newAgentId(),
      cutOff: async () => rmSync(local.paths.origin, { recursive: true }),
    }
  },
)
