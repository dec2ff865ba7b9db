import type { OpenAcp } from '../acp/acp.ts'
import { ExomonadError } from '../errors.ts'
import type { RegistryServer } from '../mcp/registry-server.ts'
import type { StartPiped } from '../processes/start-piped.ts'
import type { ACPPermissionPolicy } from './acp-types.ts'

export interface AcpServerConfig {
  readonly name: string
  /** What `agentId` calls it. */
  readonly agentId: string
  readonly argv: readonly string[]
  readonly cwd: string
  /** Whole. */
  readonly env: Readonly<Record<string, string>>
  /** Of new sessions; undefined: the agent’s own. */
  readonly model: string | undefined
  readonly mode: string | undefined
  /** Undefined: as the agent needs it. */
  readonly processPerSession: boolean | undefined
  /** Milliseconds. */
  readonly startTimeout: number | undefined
}

export interface AcpServerDeps {
  readonly open: OpenAcp
  readonly start: StartPiped
  readonly registry: () => Promise<RegistryServer>
  /** Null: the registry’s tools are allowed, and nothing else. */
  readonly policy: () => ACPPermissionPolicy | null
}

/** What calls end with once their client was disposed. */
export const disposed = (name: string): ExomonadError =>
  new ExomonadError(
    'NOT_AVAILABLE',
    `The client of ${name} was disposed. Make another with createAcpClient.`,
  )
