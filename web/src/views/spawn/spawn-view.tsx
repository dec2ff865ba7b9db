import { useReadOnly, useStanding } from '../../live/context.tsx'
import { useTree, type TreeView } from '../../live/tree.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import type { SpawnForm } from './schema-form.ts'
import { SpawnPage } from './spawn-page.tsx'
import { useSpawnForm } from './use-spawn.ts'
import './spawn.css'

/** Spawning: a form made of the tool’s own schema, and what the daemon says to it. */
export default function SpawnView() {
  const { tree } = useTree()
  const form = useSpawnForm()
  const readOnly = useReadOnly()
  const { access } = useStanding()
  return (
    <>
      <div className="view-head">
        <h1>Spawn</h1>
      </div>
      <div className="view-body">{body(tree, form.data, access.kind === 'open' && readOnly)}</div>
    </>
  )

  function body(tree: TreeView | null, found: SpawnForm | null | undefined, isOnlyRead: boolean) {
    if (isOnlyRead)
      return (
        <Empty title="This page only reads">
          <p>
            <code>exomonad web</code> opens one from which you can spawn.
          </p>
        </Empty>
      )
    if (form.isError && found === undefined)
      return <Failed error={form.error} retry={() => void form.refetch()} />
    if (tree === null || found === undefined) return <Loading what="the form" rows={10} />
    if (found === null) return <Empty title="This daemon spawns nothing from here" />
    return <SpawnPage form={found} tree={tree} />
  }
}
