import { mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createAcpClient,
  createAgenticLoop,
  createConversation,
  createToolRegistry,
  registerSubagentTools,
  type ACPClient,
} from '../../src/index.ts'
import { plays, type Step } from '../fixtures/model-server/script.ts'
import { startModelServer, type ModelServer } from '../fixtures/model-server/server.ts'
import { tempRepository, type TempRepository } from '../helpers/temp-repository.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { verifies } from '../requirements.ts'
import { ACP_AGENTS } from './acp-agent.ts'
import { OPENCODE_ENV } from './clis/opencode.ts'
import { AGENT_CLIS_BIN, requireInstalled } from './real-cli.ts'

/**
 * The library with the agents from npm that speak the Agent Client Protocol, offline:
 * docs/library.md says what each is started with.
 */

const STARTED: Record<
  string,
  { args?: string[]; mode?: string; env?: (model: ModelServer) => Record<string, string> }
> = {
  'claude-agent-acp': {
    mode: 'default',
    env: () => ({
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    }),
  },
  'codex-acp': {
    env: ({ url }) => {
      const provider = {
        name: 'mock',
        base_url: `${url}/v1`,
        env_key: 'OPENAI_API_KEY',
        wire_api: 'responses',
      }
      return {
        INITIAL_AGENT_MODE: 'workspace-write',
        CODEX_CONFIG: JSON.stringify({
          model: 'gpt-6.1-sol',
          model_provider: 'mock',
          model_providers: { mock: provider },
        }),
      }
    },
  },
  gemini: {
    args: ['--acp'],
    env: () => ({ GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_NO_RELAUNCH: 'true' }),
  },
  opencode: {
    args: ['acp'],
    env: () => OPENCODE_ENV,
  },
}

/** Codex’s models call tools from code. */
const call = (name: string, tool: string, input: Record<string, unknown>): Step =>
  name === 'codex-acp'
    ? {
        call: 'functions.exec',
        input: {
          source: `text(await tools.mcp__exomonad_library__${tool}(${JSON.stringify(input)}))`,
        },
      }
    : { call: tool, input }

const installed = requireInstalled(
  Object.values(ACP_AGENTS).map(({ program }) => ({ name: program })),
)

describe
  .skipIf(!installed)
  .each(Object.values(ACP_AGENTS).map((agent) => [agent.name, agent] as const))(
  'the library with %s',
  (name, { program, cli }) => {
    let repository: TempRepository
    let model: ModelServer
    let acpClient: ACPClient

    beforeAll(async () => {
      repository = await tempRepository()
      model = await startModelServer(cli.protocols)
      cli.prepareHome?.(repository.home, model)
      const { args, mode, env } = STARTED[name]!
      const path = [AGENT_CLIS_BIN, dirname(process.execPath), process.env['PATH'] ?? ''].join(
        delimiter,
      )
      // OpenCode unpacks a library there and leaves it.
      const temporary = join(repository.folder, 'tmp')
      mkdirSync(temporary)
      const whole = {
        ...repository.env,
        ...cli.env(model),
        ...env?.(model),
        PATH: path,
        TMPDIR: temporary,
      }
      const server = {
        name,
        command: program,
        args,
        cwd: repository.path,
        mode,
        env: whole,
        inheritEnv: false,
        startTimeout: 180_000,
      }
      acpClient = createAcpClient({ servers: [server] })
    })
    afterAll(async () => {
      await acpClient?.dispose()
      await model?.stop()
      repository?.remove()
    })

    it(
      verifies('R002-06', 'has a registry’s tools without asking anybody, two levels deep'),
      async () => {
        const reported: unknown[][] = []
        const registry = createToolRegistry()
        registry.register(
          {
            name: 'look_up',
            description: 'Looks a word up',
            parameters: { word: { type: 'string', description: 'Which', required: true } },
            category: 'search',
          },
          ({ word }) => `${word} means ${String(word).length} letters`,
        )
        registerSubagentTools(registry, {
          acpClient,
          toolRegistry: registry,
          callbacks: {
            onSubagentStart: ({ description }) => reported.push(['start', description]),
            onSubagentToolCallStart: (_id, { name: tool, arguments: args }) =>
              reported.push(['call', tool, args]),
            onSubagentToolCallEnd: (_id, { name: tool, output, isError }) =>
              reported.push(['answer', tool, output, isError]),
            onSubagentComplete: (_id, { text, turns }) => reported.push(['complete', text, turns]),
            onSubagentError: (_id, error) => reported.push(['error', error.message]),
          },
        })
        model.script('inner', call(name, 'look_up', { word: 'tree' }), { say: 'A tree has four.' })
        model.script(
          'outer',
          call(name, 'subagent_spawn', {
            task: `Find out. ${plays('inner')}`,
            description: 'Finding out',
          }),
          { say: 'All is known.' },
        )
        const loop = createAgenticLoop({
          acpClient,
          toolRegistry: registry,
          conversation: createConversation(),
          systemPrompt: 'Be brief.',
        })
        const result = await loop.run(`Tell me. ${plays('outer')}`)
        expect(
          reported.filter((one) =>
            ['look_up', 'start', 'complete', 'error'].some((word) => one.includes(word)),
          ),
        ).toEqual([
          ['start', 'Finding out'],
          ['call', 'look_up', { word: 'tree' }],
          ['answer', 'look_up', 'tree means 4 letters', false],
          ['complete', 'A tree has four.', 2],
        ])
        // What else it calls is its own; the registry’s tools are reported once.
        expect(reported.filter(([kind]) => kind === 'call').map(([, tool]) => tool)).toEqual(
          name === 'codex-acp' ? expect.arrayContaining(['look_up']) : ['look_up'],
        )
        expect(result).toMatchObject({
          finalText: 'All is known.',
          totalTurns: 2,
          hitTurnLimit: false,
          toolCalls: 1,
        })

        const { pid } = acpClient.getServerHealth()!
        await acpClient.dispose()
        await waitFor('its end', () => {
          try {
            return !process.kill(pid!, 0)
          } catch {
            return true
          }
        })
      },
    )
  },
)
