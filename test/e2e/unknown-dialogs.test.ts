import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claude } from './clis/claude.ts'
import { gemini } from './clis/gemini.ts'
import { requireInstalled, type RealCli } from './real-cli.ts'
import { startWorld } from './world.ts'

/** The person wants to be asked about loops, which exomonad otherwise turns off. */
const asking: RealCli = {
  ...gemini,
  prepareHome: (home) => {
    mkdirSync(join(home, '.gemini'), { recursive: true })
    writeFileSync(
      join(home, '.gemini', 'settings.json'),
      JSON.stringify({ model: { disableLoopDetection: false } }),
    )
  },
}
/** A model for which Claude Code offers auto mode. */
const OFFERS = 'claude-opus-5-5'

describe.skipIf(!requireInstalled([claude, gemini]))(
  'dialogs that open by themselves after a turn',
  () => {
    it('make the agent wait, are reported once, and keep messages until a person has answered them', async () => {
      const offered = `[agents.offered]\nadapter = "claude"\ncommand = ["claude"]\nmodel = "${OFFERS}"\nenv = { CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL = "1" }`
      const world = await startWorld([claude, asking], {
        tl: 'claude',
        dev: 'gemini',
        config: offered,
      })
      try {
        const { tree, model } = world
        const file = join(tree.repository.env['HOME'] ?? '', '.claude.json')
        const { hasSeenAutoDefaultNudge, ...others } = JSON.parse(readFileSync(file, 'utf8'))
        expect(hasSeenAutoDefaultNudge).toBe(true)
        writeFileSync(file, JSON.stringify(others))

        const dialogs = {
          claude: 'Make auto mode your default permission mode?',
          gemini: 'A potential loop was detected',
        }
        const again = Array.from({ length: 8 }, () => ({
          call: 'note',
          input: { message: 'again' },
        }))
        const markers = {
          claude: (await world.worker('claude', [{ say: 'Done.' }], { agent: 'offered' })).marker,
          gemini: (await world.worker('gemini', [...again, { say: 'Done.' }])).marker,
        }
        for (const [name, words] of Object.entries(dialogs))
          expect((await world.state(name, 'waiting')).state_reason).toContain(words)
        const words = {
          claude: await world.send('claude', [{ say: 'Yes.' }]),
          gemini: await world.send('gemini', [{ say: 'Yes.' }]),
        }
        await tree.crash()
        for (const name of Object.keys(dialogs)) await world.state(name, 'waiting')
        const { messages } = await tree.call('inbox')
        for (const name of Object.keys(dialogs))
          expect(
            messages.filter(({ text }: { text: string }) => text.startsWith(`[WAITING] ${name} `)),
          ).toHaveLength(1)
        for (const name of ['claude', 'gemini'] as const)
          expect(model.count(words[name], markers[name])).toBe(0)

        for (const name of ['claude', 'gemini'] as const) {
          await world.key(name, 'Escape')
          await model.sees(words[name])
          await world.state(name, 'idle')
          await world.delivered(name)
          expect(model.count(words[name], markers[name])).toBe(1)
        }
      } finally {
        await world.stop()
      }
    })
  },
)
