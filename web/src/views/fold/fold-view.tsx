import { Empty } from '../../parts/states.tsx'

export default function FoldView() {
  return <Empty title="Not built yet"></Empty>
}
