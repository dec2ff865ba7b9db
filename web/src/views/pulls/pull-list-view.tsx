import { Empty } from '../../parts/states.tsx'

export default function PullListView() {
  return <Empty title="Not built yet"></Empty>
}
