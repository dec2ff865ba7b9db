import { Link } from 'wouter'
import type { ToolResult } from '../../api/call.ts'
import { agentPath } from '../../shell/places.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { printable, printableLine } from '../../../../src/surfaces/text/printable.ts'

type Result = ToolResult<'spawn'>
export type Spawned = Extract<Result, { spawned: unknown }>['spawned'][number]
export type Planned = Extract<Result, { planned: unknown }>['planned'][number]

/** Who was spawned, with the way to each. */
export function SpawnedList({ spawned }: { readonly spawned: readonly Spawned[] }) {
  if (spawned.length === 0) return null
  return (
    <section className="panel spawn-outcome" aria-labelledby="spawned">
      <header>
        <h2 id="spawned" tabIndex={-1}>
          <span className="tone-good" aria-hidden="true">
            ✓{' '}
          </span>
          Spawned {plural(spawned.length, 'agent')}
        </h2>
      </header>
      <ul>
        {spawned.map(({ agent_id: id, name, branch, session, warnings }) => (
          <li key={id}>
            <Link href={agentPath(id)}>
              <bdi>{printableLine(name)}</bdi>
            </Link>
            <code className="ellipsis">{printableLine(branch)}</code>
            {session === 'forked' && <span className="chip">goes on with the conversation</span>}
            {warnings.map((warning) => (
              <p key={warning} className="tone-attention">
                {printable(warning)}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What would be made. */
export function PlannedList({
  planned,
  repository,
}: {
  readonly planned: readonly Planned[]
  /** Its folder, which the paths of worktrees mostly begin with. */
  readonly repository: string
}) {
  return (
    <section className="panel spawn-outcome" aria-labelledby="planned">
      <header>
        <h2 id="planned" tabIndex={-1}>
          What would be made
        </h2>
      </header>
      <ul>
        {planned.map(({ name, branch, worktree, base, fork_point: sha, agent, argv }) => (
          <li key={branch}>
            <strong>
              <bdi>{printableLine(name)}</bdi>
            </strong>
            <dl>
              <dt>Branch</dt>
              <dd>
                <code>{printableLine(branch)}</code>
              </dd>
              <dt>From</dt>
              <dd>
                <code>
                  {printableLine(base)} at {sha.slice(0, 8)}
                </code>
              </dd>
              <dt>Worktree</dt>
              <dd>
                <code>{printableLine(within(worktree, repository))}</code>
              </dd>
              <dt>Program</dt>
              <dd>
                {printableLine(agent)}{' '}
                <code className="spawn-argv">{argv.map(shown).join(' ')}</code>
              </dd>
            </dl>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The task is an argument of some programs: its beginning is enough here. */
const shown = (word: string): string => {
  const line = printableLine(word)
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

const within = (path: string, folder: string): string =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
