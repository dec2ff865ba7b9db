import { afterAll, beforeAll, describe } from 'vitest'
import type { BranchName } from '../../src/ids.ts'
import { openGiteaForge } from '../helpers/gitea-forge.ts'
import { giteaFolder, NO_GITEA, startGitea, type Gitea } from '../helpers/gitea.ts'
import { forgeSuite } from './forge.ts'
import { agentRow } from './store/rows.ts'

if (giteaFolder() === null) console.warn(NO_GITEA)

describe.skipIf(giteaFolder() === null)('on a real Gitea (20.21)', () => {
  let gitea: Gitea
  beforeAll(async () => {
    gitea = await startGitea()
  }, 60_000)
  afterAll(() => gitea?.close())

  forgeSuite('gitea', { mergesItself: false, hosted: true, closesEmptied: false, squashAuthor: 'filer' }, async () => {
    const opened = await openGiteaForge(gitea, { name: 'a répo with 空白' })
    // Gitea knows of no agents: whose a pull request is tells its branch.
    const agent = agentRow({ branch: 'main.a' as BranchName })
    await opened.store.agents.insert(agent)
    return { ...opened, reviewer: 'human', merger: `forge:${opened.owner}`, agentId: agent.id }
  })
})
