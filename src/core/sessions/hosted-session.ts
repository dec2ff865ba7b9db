import type { LaunchPlan } from '../../adapters/agent-cli/agent-cli.ts'
import type { AcpLaunch } from '../../adapters/terminals/headless-program.ts'
import type { OpenPane } from '../../adapters/terminals/holder.ts'
import { withVariables } from '../agents/programs.ts'

/** For the detached host, instead of a terminal. `executable`: of exomonad, for its MCP server. */
export const hostedSession = (
  acp: NonNullable<LaunchPlan['acp']>,
  {
    executable,
    ...launch
  }: Pick<AcpLaunch, 'root' | 'env' | 'behind' | 'confined' | 'daemon'> & {
    readonly executable: string
  },
): NonNullable<OpenPane['program']> => ({
  kind: 'acp',
  session: { ...acp, mcpServers: withVariables(acp.mcpServers, launch.env, executable), ...launch },
})
