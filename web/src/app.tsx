import { lazy, Suspense } from 'react'
import { Link, Route, Switch, useLocation } from 'wouter'
import { useStanding } from './live/context.tsx'
import { Boundary } from './parts/boundary.tsx'
import { Loading } from './parts/states.tsx'
import { NoAccess } from './shell/no-access.tsx'
import { agentOf } from './shell/title.ts'
import { Shell } from './shell/shell.tsx'
import { TreeView } from './views/tree/tree-view.tsx'

/** The tree is what one sees first; the others are loaded when somebody goes there. */
const AgentView = lazy(() => import('./views/agent/agent-view.tsx'))
const InboxView = lazy(() => import('./views/inbox/inbox-view.tsx'))
const PullListView = lazy(() => import('./views/pulls/pull-list-view.tsx'))
const PullView = lazy(() => import('./views/pulls/pull-view.tsx'))
const FoldView = lazy(() => import('./views/fold/fold-view.tsx'))
const TimelineView = lazy(() => import('./views/timeline/timeline-view.tsx'))
const CostView = lazy(() => import('./views/cost/cost-view.tsx'))
const SpawnView = lazy(() => import('./views/spawn/spawn-view.tsx'))

export function App() {
  const { access } = useStanding()
  const [path] = useLocation()
  if (access.kind === 'none') return <NoAccess why={access.why} />
  return (
    <Shell>
      <Boundary key={path}>
        <Suspense fallback={<Waiting />}>
          <Switch>
            <Route path="/" component={TreeView} />
            <Route path="/agents/:agent">
              {({ agent }) => <AgentView key={agent} agent={agentOf(path) ?? agent} />}
            </Route>
            <Route path="/inbox" component={InboxView} />
            <Route path="/pulls" component={PullListView} />
            <Route path={/^\/pulls\/(?<number>[1-9]\d{0,14})\/?$/}>
              {({ number = '' }) => <PullView key={number} number={Number(number)} />}
            </Route>
            <Route path="/fold" component={FoldView} />
            <Route path="/timeline" component={TimelineView} />
            <Route path="/cost" component={CostView} />
            <Route path="/spawn" component={SpawnView} />
            <Route>
              <div className="view-head">
                <h1>There is no such view</h1>
              </div>
              <div className="view-body">
                <Link href="/">To the tree</Link>
              </div>
            </Route>
          </Switch>
        </Suspense>
      </Boundary>
    </Shell>
  )
}

const Waiting = () => (
  <div className="view-body">
    <Loading what="the view" />
  </div>
)
