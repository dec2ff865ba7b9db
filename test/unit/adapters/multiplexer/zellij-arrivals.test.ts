import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createArrivals } from '../../../../src/adapters/multiplexer/zellij/arrivals.ts'
import type { PaneId } from '../../../../src/ids.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

describe('who has arrived in Zellij', () => {
  const asked = 'terminal_7' as PaneId
  const at = (client: number, paneId: string = asked) => ({ client, paneId })
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'arrivals-'))
    file = join(folder, 'ready')
    writeFileSync(file, '')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is told once somebody looks at the pane who was not attached before', async () => {
    const arrivals = createArrivals()
    arrivals.expect(asked, file, [at(1), at(2, 'terminal_0')])
    arrivals.noticed([at(1), at(2), at(3, 'terminal_0')])
    const later = join(folder, 'later')
    writeFileSync(later, '')
    arrivals.expect(asked, later, [at(1), at(2), at(3, 'terminal_0')])
    arrivals.noticed([at(1), at(2), at(3, 'terminal_0'), at(4)])
    await waitFor('both to be told', () => readFileSync(file, 'utf8') === 'arrived' && readFileSync(later, 'utf8') === 'arrived')
  })

  it('is not told of those who were there already', async () => {
    const arrivals = createArrivals()
    const seen = join(folder, 'seen')
    writeFileSync(seen, '')
    arrivals.expect(asked, file, [at(1)])
    arrivals.expect(asked, seen, [])
    arrivals.noticed([at(1)])
    await waitFor('the other to be told', () => readFileSync(seen, 'utf8') === 'arrived')
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  it('is told of who has the number of one that has left', async () => {
    const arrivals = createArrivals()
    arrivals.expect(asked, file, [at(1)])
    arrivals.noticed([])
    arrivals.noticed([at(1)])
    await waitFor('it to be told', () => readFileSync(file, 'utf8') === 'arrived')
  })

  it('leaves no file where the one is gone that asked', async () => {
    const arrivals = createArrivals()
    const other = join(folder, 'other')
    writeFileSync(other, '')
    rmSync(file)
    arrivals.expect(asked, file, [])
    arrivals.expect(asked, other, [])
    arrivals.noticed([at(1)])
    await waitFor('the other to be told', () => readFileSync(other, 'utf8') === 'arrived')
    expect(existsSync(file)).toBe(false)
  })
})
