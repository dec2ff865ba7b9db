import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openaiChat } from '../../fixtures/model-server/openai-chat.ts'
import type { RealCli } from '../real-cli.ts'

/**
 * The list of all models that there are is more than half of what a start computes, and here there
 * is one. To update itself it would start npm each time, to learn how it was installed.
 */
export const OPENCODE_ENV = {
  OPENCODE_MODELS_PATH: join(import.meta.dirname, 'opencode-models.json'),
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
}

export const opencode: RealCli = {
  name: 'opencode',
  protocols: [openaiChat],
  config: () =>
    `env = { ${Object.entries(OPENCODE_ENV)
      .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
      .join(', ')} }`,
  env: () => ({}),
  prepareHome: (home, model) => {
    const folder = join(home, '.config', 'opencode')
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Mock',
      options: { baseURL: `${model.url}/v1`, apiKey: 'dummy' },
      models: { scripted: { name: 'Scripted', limit: { context: 1_000_000, output: 32_000 } } },
    }
    // A person who wants to be asked; OpenCode by itself asks about next to nothing. It takes a
    // snapshot of the worktree before and after each request, at half of what a turn computes.
    const permission = { bash: { '*': 'ask', 'echo *': 'allow' } }
    writeFileSync(
      join(folder, 'opencode.json'),
      JSON.stringify({
        model: 'mock/scripted',
        provider: { mock: provider },
        permission,
        snapshot: false,
      }),
    )
    // While it works it draws all of its screen anew for each picture of an animation, at a fifth of
    // a core.
    const state = join(home, '.local', 'state', 'opencode')
    mkdirSync(state, { recursive: true })
    writeFileSync(join(state, 'kv.json'), JSON.stringify({ animations_enabled: false }))
    // As after the first start that found a package registry: OpenCode installs this for plugins,
    // and tests have no network.
    const dependencies = { '@opencode-ai/plugin': '1.18.33' }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }))
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies } } }),
    )
  },
  dialog: /Permission required/,
  ready: /ctrl\+p commands/,
}
