import { describe, expect, it } from 'vitest'
import { keyActions, listed } from '../../../../../../src/surfaces/cli/console/input/key-table.ts'
import type { Key } from '../../../../../../src/surfaces/cli/console/input/keys.ts'
import { OVERVIEW_KEYS } from '../../../../../../src/surfaces/cli/console/overview/overview-key-table.ts'
import { REVIEW_KEYS } from '../../../../../../src/surfaces/cli/console/review/review-key-table.ts'

const typed = (text: string): Key => ({ kind: 'edit', action: { kind: 'insert', text } })

describe.each([
  ['the overview', OVERVIEW_KEYS],
  ['a diff', REVIEW_KEYS],
] as const)('the keys of %s', (_, rows) => {
  it('are each listed, and do one thing', () => {
    const names = rows.flatMap(({ keys }) => Object.keys(keys))
    expect(new Set(names).size).toBe(names.length)
    for (const row of rows) {
      const [shown] = listed<string>(row)
      for (const name of Object.keys(row.keys))
        expect(/^[1-5]$/.test(name) ? '1-5' : name).toSatisfy((one: string) =>
          shown.split(' ').includes(one),
        )
    }
  })

  it('are none of what is typed in one piece', () => {
    const actionOf = keyActions<string>(rows)
    expect(['Enter', 'Tab', 'End', 'qq', 'ö'].map((text) => actionOf(typed(text)))).toEqual(
      Array(5).fill(undefined),
    )
    expect([actionOf(typed('j')), actionOf(typed(' '))]).toEqual(['down', 'page-down'])
  })
})
