import { Empty } from '../../parts/states.tsx'

export default function CostView() {
  return <Empty title="Not built yet"></Empty>
}
