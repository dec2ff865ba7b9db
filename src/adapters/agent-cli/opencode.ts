import type { AgentCli } from './agent-cli.ts'
import { locateProgram } from './locate.ts'
import type { AgentCliOptions } from './options.ts'

export function createOpenCodeCli(options: AgentCliOptions): AgentCli {
  const { name, config } = options
  const program = config.command[0] ?? 'opencode'
  return {
    name,
    adapter: 'opencode',
    acks: true,
    reportsState: true,
    enterDelay: config.enter_delay_ms,
    pasteLimit: null,
    passes: [],
    hooks: null,
    channel: null,
    plan: async (request) => ({
      argv: [...config.command, ...config.args, request.prompt],
      env: config.env,
      files: [],
      session: 'fresh',
      sessionId: null,
      channel: null,
      warnings: [],
    }),
    locate: () => locateProgram(program, { agent: name, path: options.path, home: options.home }),
    diagnose: async () => [],
  }
}
