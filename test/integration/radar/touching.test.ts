import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { openGit } from '../../../src/adapters/git/open.ts'
import { inspectRepository } from '../../../src/adapters/git/repository.ts'
import { areTouching, touchedOf } from '../../../src/core/radar/touching.ts'
import type { Sha } from '../../../src/domain/ids.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'

/** A file’s mode and content, by path. */
type Tree = ReadonlyMap<string, { readonly mode: string; readonly text: string }>

const PATHS = ['a', 'b', 'd/a', 'd/b', 'd/e/a', 'd/e/b', 'f/a', 'f/g/a'] as const
/** Different enough that no two are taken for the same file renamed. */
const textOf = (seed: string): string =>
  Array.from({ length: 12 }, (_, line) => `${seed} ${line} ${seed.repeat(3)}\n`).join('')
const BASE: Tree = new Map(PATHS.map((path) => [path, { mode: '100644', text: textOf(path) }]))

const path = fc.constantFrom(...PATHS, 'new', 'n', 'd/new', 'd/e/new', 'n/new', 'n/e/new', 'f')
const folder = fc.constantFrom('d', 'd/e', 'f', 'f/g', 'n', 'd/x', 'f/e')
const change = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path, line: fc.nat(11) }),
  fc.record({ do: fc.constant('delete' as const), path }),
  fc.record({ do: fc.constant('chmod' as const), path }),
  fc.record({ do: fc.constant('move' as const), path, to: path }),
  fc.record({ do: fc.constant('move-folder' as const), path: folder, to: folder }),
)
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never

/** Puts a file there, in place of a file that is a folder of it, and of a folder. */
function put(
  tree: Map<string, { mode: string; text: string }>,
  at: string,
  file: { mode: string; text: string },
): void {
  for (const other of [...tree.keys()])
    if (other.startsWith(`${at}/`) || at.startsWith(`${other}/`)) tree.delete(other)
  tree.set(at, file)
}

function applied(changes: readonly Change[], who: string): Tree {
  const tree = new Map(BASE)
  for (const one of changes) {
    const file = tree.get(one.path)
    if (one.do === 'write') {
      const lines = (file?.text ?? textOf(`${who} ${one.path}`)).split('\n')
      lines[one.line] = `${who} wrote`
      put(tree, one.path, { mode: file?.mode ?? '100644', text: lines.join('\n') })
    } else if (one.do === 'delete') tree.delete(one.path)
    else if (one.do === 'chmod' && file !== undefined)
      tree.set(one.path, { ...file, mode: '100755' })
    else if (one.do === 'move' && file !== undefined) {
      tree.delete(one.path)
      put(tree, one.to, file)
    } else if (one.do === 'move-folder' && !`${one.to}/`.startsWith(`${one.path}/`))
      for (const [from, moved] of [...tree])
        if (from.startsWith(`${one.path}/`)) {
          tree.delete(from)
          put(tree, `${one.to}${from.slice(one.path.length)}`, moved)
        }
  }
  return tree
}

/** For `git fast-import`. */
const commitOf = (mark: number, tree: Tree, from?: number): string =>
  [
    `commit refs/heads/c${mark}\nmark :${mark}\ncommitter x <x@x> 1700000000 +0000\ndata 0\n`,
    ...(from === undefined ? [] : [`from :${from}\n`]),
    'deleteall\n',
    ...[...tree].map(
      ([name, { mode, text }]) =>
        `M ${mode} inline ${name}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    ),
  ].join('')

it('whom the filter lets pass without a merge, git merges without a conflict', async () => {
  const repository = await tempRepository()
  onTestFinished(() => repository.remove())
  const { commonDir } = await inspectRepository(repository.path, repository.env)
  const git = openGit({ commonDir, environment: repository.env })
  const changes = fc.array(change, { minLength: 1, maxLength: 3 })
  const cases = fc.sample(fc.tuple(changes, changes), { numRuns: 1_500, seed: 24 })
  const stream = cases.map(([one, other], index) =>
    [
      commitOf(2 * index + 2, applied(one, 'one'), 1),
      commitOf(2 * index + 3, applied(other, 'other'), 1),
    ].join(''),
  )
  execFileSync('git', ['fast-import', '--quiet', '--force'], {
    cwd: repository.path,
    env: repository.env,
    input: [commitOf(1, BASE), ...stream].join(''),
  })
  const refs = await repository.git(
    'for-each-ref',
    '--format=%(refname:short) %(objectname) %(tree)',
    'refs/heads',
  )
  const known = new Map(
    refs
      .trim()
      .split('\n')
      .map((line) => {
        const [name = '', commit, tree] = line.split(' ')
        return [name, { commit: commit as Sha, tree: tree as Sha }]
      }),
  )
  const at = (mark: number) => known.get(`c${mark}`)!
  const sides = cases.map((_, index) => [at(2 * index + 2), at(2 * index + 3)] as const)
  const base = at(1)
  const touched = await git.touchedPaths(sides.flat().map(({ tree }) => [base.tree, tree] as const))
  const merged = await git.foretellMerges(sides.map(([one, other]) => [one.commit, other.commit]))
  const count = { apart: 0, conflicts: 0 }
  for (const [index, result] of merged.entries()) {
    const [one, other] = [touched[2 * index]!, touched[2 * index + 1]!]
    if (result.kind === 'conflict') count.conflicts += 1
    if (areTouching(touchedOf(one), touchedOf(other))) continue
    count.apart += 1
    expect(result.kind, JSON.stringify(cases[index])).toBe('clean')
  }
  expect(count.apart).toBeGreaterThan(200)
  expect(count.conflicts).toBeGreaterThan(200)
})
