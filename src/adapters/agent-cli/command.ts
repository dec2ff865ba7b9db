import type { Placeholder } from '../../config/check.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentCli, LaunchRequest } from './agent-cli.ts'
import { locateProgram } from './locate.ts'
import type { AgentCliOptions } from './options.ts'
import { inertText } from '../../sanitize/inert.ts'

/**
 * Any program as an agent: an argv template. It has no conversation that could be forked; a
 * parent’s transcript, where there is one, is handed over as a file by `{{transcript}}`.
 */
export function createCommandCli(
  options: Pick<AgentCliOptions, 'name' | 'config' | 'path' | 'node' | 'home'>,
): AgentCli {
  const { name, config } = options

  const fill = (argv: readonly string[], request: LaunchRequest): string[] => {
    const values: Record<Placeholder, string> = {
      prompt: request.prompt,
      prompt_file: request.promptFile,
      worktree: request.worktree,
      branch: request.branch,
      name: request.name,
      agent_id: request.agentId,
      role: request.role,
      session_id: request.session?.id ?? '',
      transcript: request.transcript ?? request.session?.transcript ?? '',
      node: options.node,
    }
    // One pass over the template, so that a value that looks like a placeholder stays what it is.
    return argv.map((part) =>
      part.replace(/\{\{\s*([a-z_]+)\s*\}\}/g, (whole, key: string) =>
        key in values ? values[key as keyof typeof values] : whole,
      ),
    )
  }

  const program = config.command[0] ?? ''

  return {
    name,
    adapter: 'command',
    inert: inertText,
    acks: config.acks,
    reportsState: config.reports_state,
    enterDelay: config.enter_delay_ms,
    pasteLimit: null,
    passes: [],
    hooks: null,
    channel: null,
    plan: async (request) => {
      const resuming = request.mode === 'resume'
      const argv = fill(
        resuming ? (config.resume_command ?? config.command) : config.command,
        request,
      )
      const handsOver = config.command.some((part) => part.includes('{{transcript}}'))
      return {
        argv,
        env: config.env,
        files: [],
        channel: null,
        session: resuming && config.resume_command !== undefined ? 'resumed' : 'fresh',
        sessionId: null,
        warnings:
          request.mode === 'fork' && !handsOver
            ? [
                `${name} (adapter "command") can’t inherit a conversation: it starts fresh, with the task alone.`,
              ]
            : [],
      }
    },
    locate: async () => {
      if (program === '')
        throw new ExomonadError('AGENT_CLI_MISSING', 'The command of the agent is empty.')
      if (program.includes('{{node}}')) return { kind: 'found', path: options.node }
      return locateProgram(program, { agent: name, path: options.path, home: options.home })
    },
    diagnose: async () => [],
  }
}
