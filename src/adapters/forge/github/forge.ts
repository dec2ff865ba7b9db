import { createBranches } from '../branches.ts'
import type { Forge } from '../forge.ts'
import { createHints } from '../hints.ts'
import { createGithubClient } from './client/create.ts'
import { createIssues } from './issues/issues.ts'
import { createMarkSigner } from '../mark-key.ts'
import type { GithubForgeOptions } from './options.ts'
import { createConflicts } from '../conflicts.ts'
import { createIdentity } from '../identity.ts'
import { createLandedPulls } from './landed-pulls.ts'
import { createReading } from './reading/reading.ts'
import { createWriteAccess } from './write-access.ts'
import { createWriting } from './writing/writing.ts'

/**
 * GitHub as a forge: github.com, GHE.com and Enterprise Server. Nothing is asked until something is
 * wanted of it.
 */
export function createGithubForge(options: GithubForgeOptions): Forge {
  const { git, remote, log } = options
  const client = createGithubClient(options)
  const hints = createHints(log)
  const signer = createMarkSigner(options.store)
  const mayWrite = createWriteAccess({ ...options, client })
  const identity = createIdentity({ ...options, client, forge: 'github' })
  const landed = createLandedPulls({ store: options.store, identity: identity.read })
  const { cancelled, ...reading } = createReading({
    ...{ ...options, client, mayWrite, signer, identity, landed },
  })
  const branches = createBranches({ git, remote })
  const conflicts = createConflicts({ git, branches })

  const { cancel, ...writing } = createWriting({
    ...options,
    client,
    hints,
    signer,
    conflicts,
    branches,
    landed,
    find: reading.find,
  })

  return Object.freeze({
    kind: 'github' as const,
    remote,
    // What is checked before a merge, and on what, is GitHub’s to say.
    results: null,
    scheduled: { cancel, cancelled },
    issues: createIssues({ ...options, client, mayWrite }),
    budget: client.budget,
    ...reading,
    ...writing,
    onHint: hints.subscribe,
    dispose: async () => client.close(),
  })
}
