import { ExomonadError } from '../../domain/errors.ts'
import { parseSha, type Sha } from '../../domain/ids.ts'
import type { Git } from './git.ts'
import type { Porcelain } from './porcelain.ts'
import { refuseOption } from './refs.ts'
import type { Run } from './run.ts'

type History = Pick<
  Git,
  | 'commits'
  | 'firstParents'
  | 'patchIds'
  | 'diff'
  | 'diffTrees'
  | 'changedFiles'
  | 'filesIn'
  | 'graph'
>

/** Without external diff programs: they run commands and print what no diff reader understands. */
const PLAIN_DIFF = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--src-prefix=a/',
  '--dst-prefix=b/',
]

/** So many files are kept in memory. */
const KEPT_TEXTS = 100

export function createHistory({ run, porcelain }: { run: Run; porcelain: Porcelain }): History {
  /**
   * Where the diff of a head starts: the merge base, or the base itself where the two share
   * nothing.
   */
  const start = async (base: Sha, head: Sha): Promise<string> => {
    const result = await run.attempt(['merge-base', base, head], { reads: true })
    if (result.exitCode === 0) return result.stdout.trim()
    if (result.exitCode === 1) return base
    throw run.failure('find the merge base', result)
  }

  /** The same content again and again: most commits change none of it. */
  const texts = new Map<string, string>()
  const textOf = async (blob: string): Promise<string> => {
    const text =
      texts.get(blob) ??
      (await run.output('read a file', ['cat-file', 'blob', blob], { reads: true }))
    if (texts.size >= KEPT_TEXTS) texts.clear()
    texts.set(blob, text)
    return text
  }

  return {
    async commits(base, head, limit) {
      const log = await porcelain('read the log', (git) =>
        git.log({
          from: base,
          to: head,
          symmetric: false,
          format: { sha: '%H', parents: '%P', subject: '%s', author: '%an <%ae>', at: '%ct' },
          ...(limit === undefined ? {} : { maxCount: limit }),
        }),
      )
      return log.all.map((entry) => ({
        sha: entry.sha as Sha,
        parents: entry.parents.split(' ').filter((parent) => parent !== '') as Sha[],
        subject: entry.subject,
        author: entry.author,
        at: Number(entry.at) * 1000,
      }))
    },

    async firstParents(from, to) {
      const text = await run.output(
        'read the log',
        [
          'log',
          '--first-parent',
          '--reverse',
          '--no-show-signature',
          '--format=%H %s',
          `${from}..${to}`,
          '--',
        ],
        {
          reads: true,
        },
      )
      const lines = text.split('\n').filter((line) => line !== '')
      return lines.map((line) => ({
        sha: parseSha(line.slice(0, line.indexOf(' '))),
        subject: line.slice(line.indexOf(' ') + 1),
      }))
    },

    async patchIds(base, head) {
      const patches = await run.output(
        'read patches',
        [
          'log',
          '--reverse',
          '--topo-order',
          '--patch',
          '--full-index',
          ...PLAIN_DIFF,
          `${base}..${head}`,
          '--',
        ],
        {
          reads: true,
        },
      )
      const ids = await run.output('compare patches', ['patch-id', '--stable'], {
        input: patches,
        reads: true,
      })
      return ids.split('\n').flatMap((line) => line.split(' ')[0] || [])
    },

    async diff(base, head) {
      return run.output(
        'compare two commits',
        ['diff', ...PLAIN_DIFF, await start(base, head), head, '--'],
        { reads: true },
      )
    },

    diffTrees: (from, to) =>
      run.output('compare two trees', ['diff', ...PLAIN_DIFF, from, to, '--'], { reads: true }),

    async changedFiles(base, head) {
      const names = await run.output(
        'compare two commits',
        [
          'diff',
          ...PLAIN_DIFF,
          '--name-only',
          '--no-renames',
          '-z',
          await start(base, head),
          head,
          '--',
        ],
        {
          reads: true,
        },
      )
      return names.split('\0').filter((name) => name !== '')
    },

    async filesIn(commit, folder) {
      const listed = await run.output('list files', ['ls-tree', '-z', commit, '--', `${folder}/`], {
        reads: true,
      })
      const files: { path: string; text: string }[] = []
      for (const line of listed.split('\0')) {
        const [, blob, path] = /^100\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
        if (blob !== undefined && path !== undefined) files.push({ path, text: await textOf(blob) })
      }
      return files
    },

    async graph(revisions, { color = false, limit } = {}) {
      if (revisions.length === 0)
        throw new ExomonadError('INVALID_ARG', 'A graph needs at least one revision.')
      revisions.forEach(refuseOption)
      const bounded = limit === undefined ? [] : [`--max-count=${limit}`]
      return porcelain('draw the graph', (git) =>
        git.raw([
          'log',
          '--graph',
          '--oneline',
          '--decorate=short',
          `--color=${color ? 'always' : 'never'}`,
          ...bounded,
          ...revisions,
          '--',
        ]),
      )
    },
  }
}
