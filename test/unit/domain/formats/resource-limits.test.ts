import { describe, expect, it } from 'vitest'
import { boundText, parseSize, sizeText } from '../../../../src/domain/formats/resource-limits.ts'

describe('sizes', () => {
  it('are read in the units that are meant, and in no others', () => {
    expect(['4GiB', '512 MiB', '1.5GiB', '64KiB', '10B'].map(parseSize)).toEqual([
      4 * 1024 ** 3,
      512 * 1024 ** 2,
      1.5 * 1024 ** 3,
      65_536,
      10,
    ])
    for (const text of ['4', '4G', '4GB', '-1GiB', 'GiB', '1e3MiB', '', '4 gib'])
      expect(parseSize(text), text).toBeUndefined()
  })

  it('are shown in the largest that fits', () => {
    expect([4 * 1024 ** 3, 1.5 * 1024 ** 3, 192 * 1024 ** 2, 1000].map(sizeText)).toEqual([
      '4 GiB',
      '1.5 GiB',
      '192 MiB',
      '1000 B',
    ])
    expect(boundText('processes', 64)).toBe('limit of 64 processes')
  })
})
