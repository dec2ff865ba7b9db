import { Empty } from '../../parts/states.tsx'

export default function PullView({ number }: { readonly number: number }) {
  return <Empty title="Not built yet"> {number}</Empty>
}
