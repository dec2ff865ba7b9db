import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { findTranscript } from '../../../../../src/adapters/agent-cli/claude/sessions.ts'
import { tempFolder } from '../../machine/temp-folder.ts'

const ID = '01234567-89ab-cdef-0123-456789abcdef'

const put = (path: string): string => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  return path
}

it('takes a transcript that a hook names only where Claude Code keeps that session', async () => {
  const home = tempFolder()
  const folder = join(home, '.claude')
  const own = put(join(folder, 'projects', '-a', `${ID}.jsonl`))
  const secret = put(join(home, '.ssh', `${ID}.jsonl`))
  const another = put(join(folder, 'projects', '-a', 'another.jsonl'))
  const find = (transcript: string | null) => findTranscript(folder, { id: ID, transcript })
  expect(await find(own)).toBe(own)
  // By whatever name: it is mounted where the agent is confined.
  for (const name of [
    `${folder}/projects/../../.ssh/${ID}.jsonl`,
    `${folder}/projects/../../.ssh/.`,
    secret,
    another,
    `${folder}/projects/-a/.`,
    `${folder}/projects`,
  ])
    expect(await find(name)).toBe(own)
  symlinkSync(join(home, '.ssh'), join(folder, 'projects', '-b'))
  expect(await find(join(folder, 'projects', '-b', `${ID}.jsonl`))).toBe(own)
  expect(await findTranscript(folder, { id: '../../.ssh', transcript: null })).toBeNull()
})
