import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useStanding } from '../../live/context.tsx'
import { useTree, type LiveNode, type LiveTree } from '../../live/tree.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { AgentHead } from './agent-head.tsx'
import { Changes } from './changes.tsx'
import { Children } from './children.tsx'
import { Happened } from './happened.tsx'
import { MailTab } from './mail.tsx'
import { Task } from './task.tsx'
import { AgentTerminal } from './terminal/agent-terminal.tsx'
import { Usage } from './usage.tsx'
import './agent.css'

/** One agent: its terminal beside all that is known of it. `agent`: its id, name or branch. */
export default function AgentView({ agent }: { readonly agent: string }) {
  const live = useTree()
  const { link } = useStanding()
  const node = findNode(live, agent)
  if (live.tree === null)
    return live.error !== null && link !== 'lost' ? (
      <Failed error={live.error} />
    ) : (
      <div className="view-body">
        <Loading what="the agent" rows={14} />
      </div>
    )
  if (node === undefined)
    return (
      <Empty title="There is no such agent">
        <p>It was cleaned away, or belongs to another repository.</p>
        <Link className="button" href="/">
          To the tree
        </Link>
      </Empty>
    )
  return (
    <>
      <AgentHead node={node} />
      <div className="view-body agent">
        <AgentTerminal key={node.id} node={node} />
        <Aside key={node.id} node={node} />
      </div>
    </>
  )
}

function findNode({ byId }: LiveTree, agent: string): LiveNode | undefined {
  const nodes = [...byId.values()]
  return (
    byId.get(agent) ??
    nodes.find(({ branch }) => branch === agent) ??
    nodes.find(({ short, name }) => short === agent || name === agent)
  )
}

function Aside({ node }: { readonly node: LiveNode }) {
  const tabs: readonly (readonly [name: string, content: () => ReactNode, count?: number])[] = [
    ['Task', () => <Task node={node} />],
    ['Timeline', () => <Happened agent={node.id} />],
    ['Mail', () => <MailTab agent={node.id} />],
    ['Changes', () => <Changes node={node} />],
    ['Children', () => <Children node={node} />, node.children.length],
    ['Cost', () => <Usage node={node} />],
  ]
  // In the address: a reload shows the same, and it can be kept.
  const [query, setQuery] = useSearchParams()
  const at = Math.max(
    0,
    tabs.findIndex(([name]) => name.toLowerCase() === query.get('tab')),
  )
  const setAt = (index: number) =>
    setQuery({ tab: (tabs[index]?.[0] ?? '').toLowerCase() }, { replace: true })
  return (
    <aside className="panel agent-aside">
      <div role="tablist" aria-label="About it" className="agent-tabs">
        {tabs.map(([name, , count = 0], index) => (
          <button
            key={index}
            id={`agent-tab-${index}`}
            type="button"
            role="tab"
            aria-selected={index === at}
            aria-controls="agent-tab"
            tabIndex={index === at ? 0 : -1}
            onClick={() => setAt(index)}
            onKeyDown={(event) => {
              const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
              if (step === 0) return
              event.preventDefault()
              const next = (at + step + tabs.length) % tabs.length
              setAt(next)
              document.getElementById(`agent-tab-${next}`)?.focus()
            }}
          >
            {count === 0 ? name : `${name} ${count}`}
          </button>
        ))}
      </div>
      <div
        id="agent-tab"
        role="tabpanel"
        aria-labelledby={`agent-tab-${at}`}
        tabIndex={0}
        className="agent-tab"
      >
        {tabs[at]?.[1]()}
      </div>
    </aside>
  )
}
