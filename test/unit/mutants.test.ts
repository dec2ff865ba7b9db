import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MUTANTS } from '../mutation/mutants.ts'

const top = join(import.meta.dirname, '..', '..')

// `npm run mutate:integration` takes most of an hour: that a line has moved is found out here.
it.each(MUTANTS.map((mutant) => [mutant.loses, mutant] as const))(
  '%s: the line is there, once, and so is its test',
  (_, { file, find, test, name }) => {
    expect(readFileSync(join(top, file), 'utf8').split(find)).toHaveLength(2)
    expect(existsSync(join(top, test))).toBe(true)
    if (name !== undefined) expect(readFileSync(join(top, test), 'utf8')).toMatch(new RegExp(name))
  },
)
