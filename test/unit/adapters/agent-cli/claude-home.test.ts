import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { changeJson } from '../../../../src/adapters/agent-cli/claude/home.ts'

it('a draft that a crash left of a person’s file goes with the next change, one of just now does not', async () => {
  const home = mkdtempSync(join(tmpdir(), 'claude-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const file = join(home, '.claude.json')
  writeFileSync(file, '{"kept": 1}')
  for (const name of ['old', 'new']) writeFileSync(`${file}.exomonad-${name}`, '{')
  utimesSync(`${file}.exomonad-old`, 1_700_000_000, 1_700_000_000)
  await changeJson(file, (value) => ({ ...value, added: true }))
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ kept: 1, added: true })
  expect(readdirSync(home).toSorted()).toEqual(['.claude.json', '.claude.json.exomonad-new'])
})
