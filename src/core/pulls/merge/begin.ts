import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { Config } from '../../../config/schema.ts'
import type { Agent } from '../../../domain/records.ts'
import type { Actor } from '../../../domain/ids.ts'
import type { Deps } from '../../deps.ts'
import { pullEventFacts, type MergeIntent } from './journal.ts'
import { forgeOf } from './settle.ts'

/** The first entry of a merge in the journal, before anything is done. */
export interface MergeBegin {
  intentOf(
    config: Config,
    pull: PullRequestSnapshot,
    by: Actor,
    strategy: MergeIntent['strategy'],
    child: Agent | undefined,
  ): Promise<MergeIntent>
  begin(
    journal: string,
    name: 'intent' | 'queued',
    intent: MergeIntent,
    pull: PullRequestSnapshot,
    child: Agent | undefined,
  ): Promise<void>
}

export function createMergeBegin({
  store,
  forge,
  publisher,
  clock,
  onJournalStep,
}: Pick<Deps, 'store' | 'forge' | 'publisher' | 'clock' | 'onJournalStep'>): MergeBegin {
  /**
   * The forge’s copy of the head goes after the merge: of an agent’s own branch, where configured.
   */
  const deletes = (config: Config, child: Agent | undefined): boolean => {
    if (forge.kind === 'local' || child?.ownsWorktree !== true || child.adopted) return false
    return config.forge[forge.kind].delete_branch
  }

  return {
    intentOf: async (config, pull, by, strategy, child) => ({
      forge: await forgeOf(forge),
      number: pull.number,
      title: pull.title,
      url: pull.url,
      head: pull.head.branch,
      base: pull.base.branch,
      by,
      expectedHead: pull.head.sha,
      strategy,
      trusted: pull.trusted,
      retargeted: [],
      deletes: deletes(config, child),
    }),

    begin: async (journal, name, intent, pull, child) => {
      const about = { agentId: child?.id ?? null, actor: intent.by as Actor }
      await store.transaction(async (tx) => {
        await tx.journal.begin({
          id: journal,
          kind: 'merge',
          step: name,
          data: intent,
          startedAt: clock(),
        })
        await publisher.publish(
          {
            ...about,
            type: 'merge.started',
            payload: { ...pullEventFacts(pull), strategy: intent.strategy, journal },
          },
          tx,
        )
        if (name === 'queued')
          await publisher.publish(
            {
              ...about,
              type: 'landing.queued',
              payload: { ...pullEventFacts(pull), sha: pull.head.sha },
            },
            tx,
          )
      })
      onJournalStep('merge', name)
    },
  }
}
