import { getuid } from 'node:process'
import type { AgentCli, LiveAgent } from '../agent-cli.ts'
import { diagnoseClaude } from './diagnose.ts'
import { claudeHome } from './home.ts'
import { CONTEXT_LIMIT, claudeHooks } from './hooks.ts'
import { claudeInputLine } from './input-line.ts'
import { passedVariables } from './passes.ts'
import { planClaude } from './plan.ts'
import { observeSession } from './session-file.ts'
import { findTranscript } from './sessions.ts'
import { createTranscripts } from './transcript.ts'
import { locateProgram } from '../locate.ts'
import type { AgentCliOptions } from '../options.ts'
import { inertForClaude } from './inert.ts'

/**
 * Claude Code, in its terminal: settings and MCP by flags, hooks for what it does, its session file
 * for its state, its transcript for what arrived.
 */
export function createClaudeCli(options: AgentCliOptions): AgentCli {
  const { name, config } = options
  const home = claudeHome(options)
  const transcripts = createTranscripts()
  const transcriptOf = async ({ session }: LiveAgent): Promise<string | null> =>
    session === null ? null : findTranscript(home.folder, session)

  return {
    name,
    adapter: 'claude',
    inert: inertForClaude,
    acks: true,
    reportsState: true,
    enterDelay: config.enter_delay_ms,
    // From four lines or 800 characters on a paste is marked as something its model should not take
    // orders from.
    pasteLimit: { lines: 3, chars: 750 },
    contextLimit: CONTEXT_LIMIT,
    passes: passedVariables(home),
    promptsBeforeToolsReady: true,
    hooks: claudeHooks,
    channel: null,
    plan: (request) => planClaude(options, request, getuid?.() === 0),
    locate: () =>
      locateProgram(config.command[0] ?? 'claude', {
        agent: name,
        path: options.path,
        home: options.home,
      }),
    diagnose: (repository) => diagnoseClaude(options, repository),
    observe: (live) => observeSession(home.folder, live),
    inputLine: claudeInputLine,
    mentions: async (live, words) => {
      const file = await transcriptOf(live)
      return file === null ? null : transcripts.mentions(file, words)
    },
    usage: async (live) => {
      const file = await transcriptOf(live)
      return file === null || live.session === null
        ? null
        : transcripts.usage(file, live.session.id)
    },
  }
}
