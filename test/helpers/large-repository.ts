import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TempRepository } from './temp-repository.ts'

/** What a made repository is to be like. The same options make the same commits. */
export interface LargeRepository {
  /** Files of its last commit, those for submodules and Git LFS not counted. */
  readonly files: number
  /** Objects in all, about: the history is as long as it takes. Default: one commit’s. */
  readonly objects?: number
  /** Small repositories of their own beside it, taken in at `modules/NUMBER`. */
  readonly submodules?: number
  /** Pointer files of Git LFS at `assets/NUMBER.bin`, as a clone without git-lfs has them. */
  readonly lfs?: number
}

const FILES_A_FOLDER = 50
const FOLDERS_A_PACKAGE = 20
/** Files that a commit of the history changes. */
const CHANGES = 3
/** What such a commit adds: itself, the root’s tree, and for each file two trees and a blob. */
const OBJECTS_A_COMMIT = 2 + CHANGES * 3
const PERSON = 'Test Person <test@example.invalid>'
const START = 1_600_000_000

/** `packages/12/lib-7/file-31.ts`: of 1,000 files a package, of 50 a folder. */
export function pathOfFile(index: number): string {
  const folder = Math.floor(index / FILES_A_FOLDER)
  return `pkg-${Math.floor(folder / FOLDERS_A_PACKAGE)}/lib-${folder % FOLDERS_A_PACKAGE}/file-${index % FILES_A_FOLDER}.ts`
}

/** Between 0.3 and 6 kB, most of them small; differs with each revision. */
function contentOf(index: number, revision: number): string {
  const lines = 8 + ((index * 7919) % 97) + (index % 23 === 0 ? 80 : 0)
  return Array.from(
    { length: lines },
    (_, line) => `export const value${line} = ${index * 31 + line + (line === 3 ? revision : 0)}\n`,
  ).join('')
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

function* history(options: LargeRepository, modules: readonly string[]): Generator<string> {
  const { files, objects = 0, lfs = 0 } = options
  const commit = (number: number, message: string): string =>
    `commit refs/heads/main\ncommitter ${PERSON} ${START + number} +0000\n${data(message)}`
  yield commit(0, 'All files')
  for (let index = 0; index < files; index += 1)
    yield `M 100644 inline ${pathOfFile(index)}\n${data(contentOf(index, 0))}`
  const attributes = '*.bin filter=lfs diff=lfs merge=lfs -text\n'
  if (lfs > 0) yield `M 100644 inline .gitattributes\n${data(attributes)}`
  for (let index = 0; index < lfs; index += 1) {
    const oid = index.toString(16).padStart(64, '0')
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${1000 + index}\n`
    yield `M 100644 inline assets/${index}.bin\n${data(pointer)}`
  }
  const listed = modules.map(
    (_, index) =>
      `[submodule "modules/${index}"]\n\tpath = modules/${index}\n\turl = ../module-${index}\n`,
  )
  if (modules.length > 0) yield `M 100644 inline .gitmodules\n${data(listed.join(''))}`
  for (const [index, sha] of modules.entries()) yield `M 160000 ${sha} modules/${index}\n`
  const folders = Math.ceil(files / FILES_A_FOLDER)
  const first = files + folders + Math.ceil(folders / FOLDERS_A_PACKAGE) + 2
  const commits = Math.max(0, Math.ceil((objects - first) / OBJECTS_A_COMMIT))
  for (let number = 1; number <= commits; number += 1) {
    yield commit(number, `Change ${number}`)
    for (let change = 0; change < CHANGES; change += 1) {
      // Far apart, so that each is in a folder and a package of its own.
      const index = (number * 7 + Math.floor((change * files) / CHANGES)) % files
      yield `M 100644 inline ${pathOfFile(index)}\n${data(contentOf(index, number))}`
    }
  }
  yield 'done\n'
}

/**
 * Fills a repository without commits, by `git fast-import`, and checks its `main` out; submodules
 * stay empty, as in a clone. 34,000 files and 600,000 objects take about half a minute.
 */
export async function makeLarge(
  repository: TempRepository,
  options: LargeRepository,
): Promise<void> {
  const modules: string[] = []
  for (let index = 0; index < (options.submodules ?? 0); index += 1) {
    const path = join(repository.folder, `module-${index}`)
    await repository.gitIn(repository.folder, 'init', '-q', '-b', 'main', path)
    await repository.gitIn(path, 'commit', '-q', '--allow-empty', '-m', `Module ${index}`)
    modules.push(await repository.gitIn(path, 'rev-parse', 'HEAD'))
  }
  const child = spawn('git', ['fast-import', '--quiet', '--done'], {
    cwd: repository.path,
    env: repository.env,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const ended = once(child, 'close')
  for (const part of history(options, modules))
    if (!child.stdin.write(part)) await once(child.stdin, 'drain')
  child.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`git fast-import ended with ${String(code)}`)
  await repository.git('reset', '-q', '--hard')
}
