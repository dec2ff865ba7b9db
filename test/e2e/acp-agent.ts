import type { Step } from '../fixtures/model-server/script.ts'
import { claude } from './clis/claude.ts'
import { codex } from './clis/codex.ts'
import { gemini } from './clis/gemini.ts'
import { opencode, OPENCODE_ENV } from './clis/opencode.ts'
import type { RealCli } from './real-cli.ts'

/**
 * One agent as it comes from npm that speaks the Agent Client Protocol, against the model server.
 * What each does is in docs/acp.md.
 */
export interface AcpAgent {
  /** Of its [acp.NAME]; the preset brings the command. */
  readonly name: string
  /** Its program. */
  readonly program: string
  /** The agent CLI that it speaks for, whose login and home it has. */
  readonly cli: RealCli
  /** `env` of its [acp.NAME], where the person’s environment does not do. */
  env?(model: { readonly url: string }): Readonly<Record<string, string>>
  /** Writes a file with its own tool for that. */
  edit(path: string, text: string): Step
  /** Tokens that a turn of four requests is reported to have used, at least. */
  readonly tokens: number
  /** It can take up a conversation that it began a moment ago. */
  readonly loadsAtOnce: boolean
}

/** Codex’s own writing tool is called from code. */
const patch = (path: string, text: string): string =>
  `text(await tools.apply_patch(${JSON.stringify(`*** Begin Patch\n*** Add File: ${path}\n+${text}\n*** End Patch`)}))`

/** All from npm that are known to start offline. */
export const ACP_AGENTS: Readonly<Record<RealCli['name'], AcpAgent>> = {
  claude: {
    name: 'claude-agent-acp',
    program: 'claude-agent-acp',
    cli: claude,
    env: () => ({ CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1' }),
    edit: (path, text) => ({ call: 'Write', input: { file_path: path, content: `${text}\n` } }),
    tokens: 4000,
    loadsAtOnce: true,
  },
  codex: {
    name: 'codex-acp',
    program: 'codex-acp',
    cli: codex,
    env: (model) => {
      const provider = {
        name: 'mock',
        base_url: `${model.url}/v1`,
        env_key: 'OPENAI_API_KEY',
        wire_api: 'responses',
      }
      return {
        CODEX_CONFIG: JSON.stringify({
          model: 'gpt-6.1-sol',
          model_provider: 'mock',
          model_providers: { mock: provider },
        }),
      }
    },
    edit: (path, text) => ({ call: 'functions.exec', input: { source: patch(path, text) } }),
    tokens: 4000,
    loadsAtOnce: true,
  },
  gemini: {
    name: 'gemini',
    program: 'gemini',
    cli: gemini,
    edit: (path, text) => ({
      call: 'write_file',
      input: { file_path: path, content: `${text}\n` },
    }),
    tokens: 4000,
    loadsAtOnce: false,
  },
  opencode: {
    name: 'opencode',
    program: 'opencode',
    cli: opencode,
    env: () => OPENCODE_ENV,
    edit: (path, text) => ({ call: 'write', input: { filePath: path, content: `${text}\n` } }),
    // It reports those of the turn’s last request.
    tokens: 1000,
    loadsAtOnce: true,
  },
}
