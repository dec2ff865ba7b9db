import type { AgentCli } from '../agent-cli.ts'
import { diagnoseGemini } from './diagnose.ts'
import { geminiHooks } from './hooks.ts'
import { chatOf, planGemini } from './plan.ts'
import { inputLineOf, stateOf } from './screen.ts'
import { tookPrompt, usageOf } from './transcript.ts'
import { locateProgram } from '../locate.ts'
import { NETWORK } from '../network.ts'
import type { AgentCliOptions } from '../options.ts'
import { inertEveryAt } from '../../../sanitize/inert.ts'

/**
 * Keys, endpoints and projects; not the variables that a running Gemini CLI sets for its own
 * children.
 */
const PASSES = [
  'GEMINI_API_KEY',
  'GEMINI_MODEL',
  'GEMINI_SANDBOX',
  'GEMINI_SYSTEM_MD',
  'GEMINI_TELEMETRY_*',
  'GOOGLE_*',
  'CLOUDSDK_CONFIG',
  'CLOUD_SHELL',
  'CODE_ASSIST_ENDPOINT',
  ...NETWORK,
  'SEATBELT_PROFILE',
]

/**
 * Gemini CLI (npm: @google/gemini-cli) as an agent, unmodified and without a change to the person’s
 * `~/.gemini`.
 */
export function createGeminiCli(options: AgentCliOptions): AgentCli {
  const { name, config } = options
  const locate = () =>
    locateProgram(config.command[0] ?? 'gemini', {
      agent: name,
      path: options.path,
      home: options.home,
    })
  /** Of the person’s variables, and those the configuration adds. */
  const passed = (variable: string): string | undefined => {
    const value = config.env[variable] ?? options.variables[variable]
    return value === '' ? undefined : value
  }

  return {
    name,
    adapter: 'gemini',
    inert: inertEveryAt,
    acks: true,
    reportsState: true,
    enterDelay: config.enter_delay_ms,
    pasteLimit: null,
    // Long results of tools are cut in the middle at 40,000 characters; what hooks add stands in
    // the last 80%.
    contextLimit: 30_000,
    passes: PASSES,
    hooks: geminiHooks,
    channel: null,
    plan: (request) => planGemini(options, passed, request),
    locate,
    diagnose: async (repository) => {
      const found = await locate()
      return found.kind === 'missing'
        ? [{ status: 'problem', found: found.reason }]
        : diagnoseGemini(options, passed, found.path, repository)
    },
    observe: async ({ title, folder, session }) => {
      // Where the title is hidden, hooks report what it does, and its box for prompts whether
      // something may be typed; only a turn that was broken off is not seen.
      const seen = title === undefined ? null : stateOf(title)
      if (seen !== null && seen.state !== 'idle') return seen
      const chat = await chatOf(folder, session)
      const asked = chat === null || tookPrompt(chat)
      return asked
        ? seen
        : {
            state: 'unknown',
            reason: 'it has not taken its task: its terminal may show a dialog',
            source: 'screen',
          }
    },
    inputLine: inputLineOf,
    mentions: async ({ folder, session }, words) => {
      const chat = await chatOf(folder, session)
      if (chat === null) return null
      const received = [...chat.kept].map((id) => chat.messages.get(id)?.received ?? '')
      return new Set(words.filter((word) => received.some((text) => text.includes(word))))
    },
    usage: async ({ folder, session }) => {
      const chat = await chatOf(folder, session)
      return chat === null ? null : usageOf(chat)
    },
  }
}
