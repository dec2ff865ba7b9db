import { execFile } from 'node:child_process'
import type { FakeGithub } from '../../fixtures/github/fake.ts'
import { tempHome } from '../temp-repository.ts'

/**
 * Test helper: GitHub’s own `gh` on the fake. `gh` speaks https to every host but one that its
 * authors keep for themselves: `github.localhost`, whose API is at `http://api.github.localhost`.
 * The fake is its proxy, and answers itself.
 */
export interface Gh {
  /** Runs `gh … --repo octo/widgets`; never throws. */
  run(
    args: readonly string[],
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  /** What it prints with `--json`. */
  json<Answer>(args: readonly string[], fields: readonly string[]): Promise<Answer>
  remove(): void
}

const HOST = 'github.localhost'

export function ghFor(github: FakeGithub, { token = github.token }: { token?: string } = {}): Gh {
  const home = tempHome()
  const environment = {
    ...home.env,
    // Where it keeps its cache.
    TMPDIR: home.folder,
    http_proxy: github.url,
    GH_HOST: HOST,
    GH_TOKEN: token,
    GH_ENTERPRISE_TOKEN: token,
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    NO_COLOR: '1',
  }

  const run: Gh['run'] = (args) =>
    new Promise((resolve) => {
      execFile(
        'gh',
        [...args, '--repo', `${HOST}/${github.owner}/${github.name}`],
        { cwd: home.folder, env: environment },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
          resolve({ code, stdout, stderr })
        },
      )
    })

  return {
    run,
    async json(args, fields) {
      const { code, stdout, stderr } = await run([...args, '--json', fields.join(',')])
      if (code !== 0) throw new Error(`gh ${args.join(' ')}: ${stderr}`)
      return JSON.parse(stdout)
    },
    remove: home.remove,
  }
}
