import { Empty } from '../../parts/states.tsx'

export default function SpawnView() {
  return <Empty title="Not built yet"></Empty>
}
