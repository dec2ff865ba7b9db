import { ExomonadError } from '../../errors.ts'
import { parseSha, type Sha } from '../../ids.ts'
import type { Git, Identity } from './git.ts'
import { mergeDriverSettings } from './merge-drivers.ts'
import type { Run } from './run.ts'

type Objects = Pick<Git, 'mergeTree' | 'commitTree' | 'readCommit' | 'identity'>

const OUR_NAME = 'exomonad'
const OUR_EMAIL = 'exomonad@localhost'

/** `GIT_AUTHOR_…` or `GIT_COMMITTER_…` for an identity. git refuses empty names. */
export function identityVariables(kind: 'AUTHOR' | 'COMMITTER', identity: Identity): Record<string, string> {
  return {
    [`GIT_${kind}_NAME`]: identity.name.trim() === '' ? identity.email || OUR_NAME : identity.name,
    [`GIT_${kind}_EMAIL`]: identity.email,
    ...(identity.date === undefined ? {} : { [`GIT_${kind}_DATE`]: `@${identity.date}` }),
  }
}

export function createObjects({ run }: { run: Run }): Objects {
  const drivers = mergeDriverSettings(run)

  /** merge-tree exits 1 for a commit that is not there just as for a conflict, so that is asked first. */
  const requireCommits = async (...shas: Sha[]): Promise<void> => {
    const answers = await run.output('look up commits', ['cat-file', '--batch-check=%(objecttype)'], {
      input: shas.map((sha) => `${sha}^{commit}\n`).join(''),
      reads: true,
    })
    answers
      .trimEnd()
      .split('\n')
      .forEach((answer, index) => {
        if (answer !== 'commit')
          throw new ExomonadError('GIT_FAILED', `The commit ${shas[index]} is not in this repository. Fetch it first.`, { sha: shas[index] })
      })
  }

  const identity: Objects['identity'] = async () => {
    const result = await run.attempt(['config', '--null', '--get-regexp', '^user\\.(name|email)$'], { reads: true })
    const found = new Map<string, string>()
    for (const entry of result.stdout.split('\0')) {
      const end = entry.indexOf('\n')
      if (end > 0) found.set(entry.slice(0, end), entry.slice(end + 1))
    }
    return { name: found.get('user.name') || OUR_NAME, email: found.get('user.email') || OUR_EMAIL }
  }

  return {
    identity,

    async mergeTree(ours, theirs) {
      await requireCommits(ours, theirs)
      const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs]
      const result = await run.attempt(args, { settings: await drivers() })
      const [tree, ...files] = result.stdout.split('\0').filter((part) => part !== '')
      if (result.exitCode === 0 && tree !== undefined) return { kind: 'clean', tree: parseSha(tree) }
      if (result.exitCode === 1 && tree !== undefined) return { kind: 'conflict', files: [...new Set(files)] }
      throw run.failure('merge two commits', result)
    },

    async commitTree({ tree, parents, message, author, committer }) {
      const self = await identity()
      const env = { ...identityVariables('AUTHOR', author ?? self), ...identityVariables('COMMITTER', committer ?? self) }
      const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
      return parseSha(await run.output('make a commit', args, { input: message.endsWith('\n') ? message : `${message}\n`, env }))
    },

    async readCommit(sha) {
      const args = [
        'log',
        '-1',
        '--no-show-signature',
        '--no-color',
        '--date=raw',
        '--format=%T%x00%P%x00%an%x00%ae%x00%ad%x00%B',
        '--end-of-options',
        sha,
        '--',
      ]
      const [tree = '', parents = '', name = '', email = '', date = '', message = ''] = (await run.output('read a commit', args, { reads: true })).split('\0')
      return {
        tree: parseSha(tree),
        parents: parents.split(' ').filter((parent) => parent !== '') as Sha[],
        author: { name, email, date },
        message: `${message.trimEnd()}\n`,
      }
    },
  }
}
