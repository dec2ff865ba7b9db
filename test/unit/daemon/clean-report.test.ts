import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../../src/config/environment.ts'
import { cleanReport } from '../../../src/daemon/report/clean-report.ts'

const clean = (text: string, places: readonly (readonly [string, string])[]): string =>
  cleanReport(text, { environment: readEnvironment({}), tokens: [], hashes: [], places })

describe('the places of a report', () => {
  it('are called by what they are, and their neighbours are not', () => {
    const places = [
      ['/srv/shop', '<repository>'],
      ['/home/ada', '~'],
    ] as const
    expect(clean('/srv/shop/a, /srv/shop. /srv/shop-old /home/ada/x', places)).toBe(
      '<repository>/a, <repository>. /srv/shop-old ~/x',
    )
  })

  it.each(['/', ''])('leave all else as it is where the home is “%s”', (home) => {
    expect(clean('git: /usr/bin/git', [[home, '~']])).toBe('git: /usr/bin/git')
  })
})
