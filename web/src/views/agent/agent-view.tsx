import { Empty } from '../../parts/states.tsx'

export default function AgentView({ agent }: { readonly agent: string }) {
  return <Empty title="Not built yet"> {agent}</Empty>
}
