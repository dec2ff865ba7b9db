import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { life } from './life.js'

// Waits for the start, writes its files, files a pull request; fixes what checks, reviews and
// conflicts find, as its plan says.

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', env: { ...process.env, GIT_EDITOR: 'true' } })
const CONFLICT = /^<<<<<<< .*\n([\s\S]*?)^=======\n([\s\S]*?)^>>>>>>> .*\n/gm

await life((agent) => {
  const plan = agent.plan()

  const commit = (message) => {
    git('add', '--all')
    git('commit', '--quiet', '--message', message)
  }
  const write = (files) => {
    for (const [path, content] of Object.entries(files)) writeFileSync(path, content)
  }
  const file = async () => {
    const { pr_number: number } = await agent.tool('file_pr', {
      title: agent.name,
      body: 'As asked.',
    })
    agent.note('filed', { number })
  }
  /** Both sides are wanted. */
  const resolve = (files) => {
    for (const path of files) {
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(CONFLICT, '$1$2'))
      git('add', '--', path)
    }
    git('rebase', '--continue')
  }
  const improve = async () => {
    if (plan.improve === undefined) return
    write(plan.improve)
    delete plan.improve
    commit('Take up the review')
    await file()
  }

  return {
    begin: async () => {
      while (!existsSync(plan.go)) await pause(20)
      write(plan.files)
      commit(`Add ${agent.name}`)
      await file()
    },
    receive: async ({ tag, text }) => {
      if (tag === 'CI FAILED' && plan.remove !== undefined) {
        rmSync(plan.remove, { force: true })
        delete plan.remove
        commit('Fix the check')
        await file()
      } else if (tag === 'REVIEW' && text.includes('requests changes')) await improve()
    },
    objected: async ({ objection }) => {
      if (objection === 'changes_requested') await improve()
      if (objection === 'rebase_conflict')
        resolve(git('diff', '--name-only', '--diff-filter=U').split('\n').filter(Boolean))
    },
  }
})
