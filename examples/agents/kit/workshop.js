import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const typescriptFlags = process.features.typescript
  ? []
  : ['--experimental-strip-types', '--disable-warning=ExperimentalWarning']

/** A process for each file costs more than all the tests do. */
const inOne = process.allowedNodeEnvironmentFlags.has('--test-isolation')
  ? ['--test-isolation=none']
  : []

/**
 * Hands: files, commands and git in the agent's worktree. Paths are relative to `folder`, the
 * library's place in the worktree. `used` is called for each action, so that the tree can count
 * them.
 */
export function createWorkshop({ worktree, folder, materials, name, transcript, used }) {
  const place = join(worktree, folder)
  const author = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: `${name}@agents.invalid`,
    GIT_EDITOR: 'true',
    GIT_TERMINAL_PROMPT: '0',
  }
  const read = (path) => readFileSync(join(place, path), 'utf8')

  function save(path, text) {
    const file = join(place, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    transcript.edit(path)
    used('edit')
  }

  /** `{code, output}`; stdout and stderr together. */
  function run(file, args, cwd = place) {
    used('run')
    return new Promise((resolve) => {
      const child = spawn(file, args, {
        cwd,
        env: { ...process.env, ...author },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const chunks = []
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => chunks.push(chunk))
      child.on('error', (error) => resolve({ code: 127, output: error.message }))
      child.on('close', (code) =>
        resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }),
      )
    })
  }

  async function git(...args) {
    const { code, output } = await run('git', args, worktree)
    if (code !== 0) throw new Error(`git ${args[0]} failed: ${output.trim()}`)
    return output
  }

  return {
    read,
    save,
    git,
    tryGit: (...args) => run('git', args, worktree),
    /** Does what a list of steps says; throws where a text to be replaced isn't there. */
    apply(steps) {
      for (const step of steps) {
        if (step.write) save(step.write, readFileSync(join(materials, step.from), 'utf8'))
        else if (step.append) save(step.append, `${read(step.append)}${step.line}\n`)
        else {
          const text = read(step.edit)
          if (!text.includes(step.find))
            throw new Error(`${step.edit} has no “${step.find.trim()}”`)
          save(
            step.edit,
            text.replace(step.find, () => step.put),
          )
        }
      }
    },
    /** Runs test files, all of them without names. Returns whether they passed. */
    async test(files) {
      const label = files.length === 0 ? 'node --test' : `node --test ${files.join(' ')}`
      transcript.run(label)
      const { code, output } = await run(process.execPath, [
        ...typescriptFlags,
        '--test',
        ...inOne,
        ...files,
      ])
      if (code === 0)
        transcript.good(`${/(?:tests|pass) (\d+)/.exec(output)?.[1] ?? 'all'} tests pass`)
      else {
        transcript.bad('tests fail')
        const failures = output
          .split('\n')
          .filter((line) => /✖|not ok|Error/.test(line) && !line.includes('failing tests'))
        transcript.output([...new Set(failures)].slice(0, 8).join('\n'))
      }
      return code === 0
    },
    async commit(subject) {
      // Forced, because the repository may ignore files of these names.
      await git('add', '--all', '--force', '--', folder || '.')
      await git('commit', '--quiet', '--message', subject)
      transcript.run(`git commit -m "${subject}"`)
    },
    /**
     * Whether this was committed in an earlier life; what that one left half done is taken back
     * where it was not.
     */
    async did(subject) {
      if ((await git('log', '--max-count=500', '--format=%s')).split('\n').includes(subject))
        return true
      await git('reset', '--quiet', '--hard')
      return false
    },
    async changed() {
      return (await git('status', '--porcelain')).trim() !== ''
    },
  }
}
