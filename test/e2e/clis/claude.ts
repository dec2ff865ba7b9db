import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anthropic } from '../../fixtures/model-server/anthropic.ts'
import type { RealCli } from '../real-cli.ts'

/**
 * Claude Code from npm. Onboarding, trust and the key’s approval are `init --prepare-agents`’ work.
 */
export const claude: RealCli = {
  name: 'claude',
  protocols: [anthropic],
  // A fresh home would fetch a list of plugins from the network.
  config: () =>
    'model = "claude-sonnet-4-5"\nenv = { CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL = "1" }',
  env: (model) => ({
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-dummy-0123456789abcdefghij',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
  prepareHome: (home) => {
    // A person who wants to be asked; by default a model of its own decides.
    mkdirSync(join(home, '.claude'), { recursive: true })
    writeFileSync(
      join(home, '.claude', 'settings.json'),
      JSON.stringify({ permissions: { defaultMode: 'default' } }),
    )
  },
  dialog: /Do you want to (proceed|make this edit|create)/,
  ready: /^❯/m,
}
