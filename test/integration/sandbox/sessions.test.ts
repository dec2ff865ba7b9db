import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startAcpTree } from '../../helpers/acp-tree.ts'
import { isInstalled } from '../../helpers/sandbox.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const SOURCES = join(import.meta.dirname, '../../fixtures/acp')

describe.skipIf(!isInstalled())('a session of the Agent Client Protocol that is confined', () => {
  it.each(['workspace', 'offline'])(
    'with “%s” works, files and calls tools, and reaches nothing outside by itself or by its host',
    async (level) => {
      const tree = await startAcpTree({ dev: `runtime = "acp"\nsandbox = "${level}"\n` })
      const { repository } = tree
      const store = join(repository.folder, 'sessions')
      mkdirSync(store)
      const file = join(repository.path, '.exomonad', 'config.toml')
      writeFileSync(
        file,
        `${readFileSync(file, 'utf8')}\n[sandbox]\nread = [${JSON.stringify(SOURCES)}]\nwrite = [${JSON.stringify(store)}]\n`,
      )
      const secret = join(repository.home, 'secret')
      writeFileSync(secret, 'word-that-nobody-may-see')
      const outside = join(repository.home, 'outside')
      const look = `(cat '${secret}' > seen; echo x > '${outside}'; git add -A; git commit -qm Work; touch done)`
      const { worktree } = await tree.worker(
        'held',
        'save a.txt hello',
        `child ${look}`,
        `child ln -s '${secret}' link`,
        'run cat link',
        'read link',
        // Nor what it reads by itself: nothing outside does it for it.
        'read a.txt',
        'call note {"message":"I reach the daemon"}',
        'say that is all',
      )
      const shown = await tree.shows('held', 'that is all')
      await waitFor('its own commands', () => existsSync(join(worktree, 'done')))
      expect(shown).not.toContain('word-that')
      expect(shown.match(/refused: /g)).toHaveLength(3)
      expect(readFileSync(join(worktree, 'seen'), 'utf8')).toBe('')
      expect(existsSync(outside)).toBe(false)
      expect(await repository.git('show', 'main.held:a.txt')).toBe('hello')
      await waitFor('its note', async () =>
        (await tree.call('inbox')).messages.some(({ text }: any) => text.includes('I reach')),
      )
      await tree.becomes('held', 'idle')
      const { pid } = await tree.agent('held')
      await tree.call('kill', { agent: 'held' })
      await waitFor('its processes to end', () => !existsSync(`/proc/${pid}`))
    },
  )
})
