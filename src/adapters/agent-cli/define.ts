import type { AgentCli } from './agent-cli.ts'
import type { AcpProgram } from './acp/options.ts'
import type { AgentCliOptions } from './options.ts'

/** An npm package, and the version of it that the end-to-end tests run with. */
export interface TestedPackage {
  readonly name: string
  readonly tested: string
}

/** The [agents.NAME] of an agent CLI that is there without being written, key by key. */
export interface AgentPreset<Name extends string = string> {
  readonly adapter: Name
  readonly command: readonly [program: string]
  readonly acks: boolean
  readonly reports_state: boolean
  readonly enter_delay_ms: number
}

interface Facts<Name extends string> {
  /** Of [agents.NAME] and of its adapter; its folder is called so, and docs/agents/<name>.md. */
  readonly name: Name
  /** What is looked for on the PATH. */
  readonly program: string
  readonly package: TestedPackage
  /** Where its preset is not as those of the others. */
  readonly preset?: Partial<Omit<AgentPreset, 'adapter' | 'command'>>
  /**
   * Variables by which its children see that they run inside of it: an agent that is started
   * from there does not get them.
   */
  readonly sessionVariables?: readonly string[]
  /** The program that speaks the Agent Client Protocol for it. Absent where there is none. */
  readonly acp?: {
    /** NAME of the [acp.NAME] that is there without being written. */
    readonly name: string
    readonly command: readonly [program: string, ...args: string[]]
    readonly package: TestedPackage
    /** How it is started where nobody sees it. */
    load(): Promise<AcpProgram>
  }
  /** What makes its adapter: how it is started, looked at, diagnosed and written to. */
  load(): Promise<(options: AgentCliOptions) => AgentCli>
}

/** An agent CLI as the registry (all.ts) has it. */
export interface AgentCliDefinition<Name extends string = string> extends Omit<
  Facts<Name>,
  'preset'
> {
  readonly preset: AgentPreset<Name>
}

/**
 * All that exomonad knows of an agent CLI: facts for everybody, and, loaded only where it is run or
 * looked at, its code.
 */
export const defineAgentCli = <const Name extends string>(
  facts: Facts<Name>,
): AgentCliDefinition<Name> => ({
  ...facts,
  preset: {
    adapter: facts.name,
    command: [facts.program],
    acks: true,
    reports_state: true,
    enter_delay_ms: 300,
    ...facts.preset,
  },
})
