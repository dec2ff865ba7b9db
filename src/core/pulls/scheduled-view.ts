import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { ScheduledView } from './pull-documents.ts'

/** Of a pull request that the forge merges by itself. */
export const scheduledView = ({
  scheduled,
}: Pick<PullRequestSnapshot, 'scheduled'>): ScheduledView | null =>
  scheduled === undefined
    ? null
    : {
        how: scheduled.kind,
        position: scheduled.kind === 'queue' ? scheduled.position : null,
        checks: scheduled.kind === 'queue' ? scheduled.checksState : null,
        by: scheduled.by.replace(/^forge:/, ''),
      }
