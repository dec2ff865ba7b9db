import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as library from '../../../../src/index.ts'
import { CLIENT_EXAMPLE } from '../../surfaces/client-example.ts'
import { verifies } from '../../../requirements.ts'

const top = join(import.meta.dirname, '..', '..', '..', '..')
const page = readFileSync(join(top, 'docs', 'library.md'), 'utf8')

it('docs/library.md shows the example that is type-checked and run', () => {
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1])
  expect(blocks).toEqual([
    CLIENT_EXAMPLE,
    readFileSync(join(top, 'examples', 'subagents', 'research.ts'), 'utf8'),
  ])
})

it(verifies('R002-09', 'the package exports what docs/library.md names'), () => {
  const named = [
    ...page.matchAll(/`(create\w+|register\w+|[A-Z]{2,}(?:_[A-Z]+)*|configSchema)\b/g),
  ].map((match) => match[1]!)
  expect(named).toEqual(
    expect.arrayContaining([
      'registerSubagentTools',
      'createToolRegistry',
      'createConversation',
      'createAgenticLoop',
      'createAcpClient',
    ]),
  )
  const codes = Object.keys(library.ERRORS)
  expect(named.filter((name) => !Object.hasOwn(library, name) && !codes.includes(name))).toEqual([])
})
