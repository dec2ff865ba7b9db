import { Empty } from '../../parts/states.tsx'

export default function TimelineView() {
  return <Empty title="Not built yet"></Empty>
}
