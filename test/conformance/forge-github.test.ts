import type { BranchName } from '../../src/domain/ids.ts'
import { openGithubForge } from '../helpers/github/github-forge.ts'
import { forgeSuite } from './forge.ts'
import { agentRow } from './store/rows.ts'

forgeSuite(
  'github',
  {
    mergesItself: false,
    hosted: true,
    closesEmptied: true,
    squashAuthor: 'first',
    takesRanges: true,
  },
  async () => {
    const github = await openGithubForge({ name: 'a répo with 空白' })
    // GitHub knows of no agents: whose a pull request is follows from its branch.
    const agent = agentRow({ branch: 'main.a' as BranchName })
    await github.store.agents.insert(agent)
    return {
      ...github,
      reviewer: 'human',
      merger: 'forge:robot',
      agentId: agent.id,
      cutOff: () => github.github.down(),
    }
  },
)
