import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tempHome } from './temp-repository.ts'

type Step =
  | { readonly write: string; readonly from: string }
  | { readonly append: string; readonly line: string }
  | Edit
interface Edit {
  readonly edit: string
  readonly find: string
  readonly put: string
}
interface Order {
  readonly shares?: { readonly work: readonly Step[]; readonly gives_way?: readonly unknown[] }
  readonly work?: readonly Step[]
  readonly on_answer?: readonly { readonly when: string; readonly work: readonly Step[] }[]
  readonly on_comment?: readonly { readonly find: string; readonly put: string }[]
  readonly on_failure?: readonly { readonly work: readonly Step[] }[]
  readonly children?: readonly Order[]
}

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples')

/**
 * The id of the tree that every demo ends with, whatever keeps its pull requests and in whichever
 * order they were merged: the library with all that its plan orders, each question answered and
 * each comment and failure fixed.
 */
export function demoEndTree(): string {
  const { folder, env, remove } = tempHome()
  try {
    const repository = join(folder, 'end')
    cpSync(join(EXAMPLES, 'library'), repository, { recursive: true })
    follow(
      repository,
      JSON.parse(readFileSync(join(EXAMPLES, 'plan', 'plan.json'), 'utf8')) as Order,
    )
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: repository, env, encoding: 'utf8' }).trim()
    git('init', '--quiet')
    git('add', '--all', '--force')
    return git('write-tree')
  } finally {
    remove()
  }
}

function follow(
  repository: string,
  {
    shares,
    work = [],
    on_answer: answers = [],
    on_comment: comments = [],
    on_failure: failures = [],
    children = [],
  }: Order,
): void {
  const read = (path: string): string => readFileSync(join(repository, path), 'utf8')
  const save = (path: string, text: string): void => {
    mkdirSync(dirname(join(repository, path)), { recursive: true })
    writeFileSync(join(repository, path), text)
  }
  const take = (step: Step): void => {
    if ('write' in step) save(step.write, readFileSync(join(EXAMPLES, 'plan', step.from), 'utf8'))
    else if ('append' in step) save(step.append, `${read(step.append)}${step.line}\n`)
    else
      save(
        step.edit,
        read(step.edit).replace(step.find, () => step.put),
      )
  }
  if (shares?.gives_way === undefined) for (const step of shares?.work ?? []) take(step)
  // The first answer is the one that the demo's leads give.
  for (const step of [...(answers[0]?.work ?? []), ...work]) take(step)
  for (const { find, put } of comments)
    for (const step of work)
      if ('write' in step)
        save(
          step.write,
          read(step.write).replace(find, () => put),
        )
  for (const failure of failures) for (const step of failure.work) take(step)
  for (const child of children) follow(repository, child)
}
