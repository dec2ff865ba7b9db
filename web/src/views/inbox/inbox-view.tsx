import { Empty } from '../../parts/states.tsx'

export default function InboxView() {
  return <Empty title="Not built yet"></Empty>
}
