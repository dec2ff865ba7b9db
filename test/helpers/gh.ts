import { execFile } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { FakeGithub } from '../fixtures/github/fake.ts'
import { tempHome } from './temp-repository.ts'

/**
 * Test helper: GitHub’s own `gh` on the fake. `gh` speaks https to every host but one that its authors keep for themselves: `github.localhost`,
 * whose API is at `http://api.github.localhost`. An http proxy leads from there to the fake.
 */
export interface Gh {
  /** Runs `gh … --repo octo/widgets`; never throws. */
  run(args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  /** What it prints with `--json`. */
  json<Answer>(args: readonly string[], fields: readonly string[]): Promise<Answer>
  close(): Promise<void>
}

const HOST = 'github.localhost'

export async function ghFor(github: FakeGithub, { token = github.token }: { token?: string } = {}): Promise<Gh> {
  const proxy = createServer((incoming, outgoing) => {
    const { pathname, search } = new URL(incoming.url ?? '/')
    const target = pathname === '/graphql' ? github.graphqlUrl : `${github.apiUrl}${pathname}${search}`
    const { host: _host, ...headers } = incoming.headers
    const forward = request(target, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forward.on('error', () => outgoing.destroy())
    incoming.pipe(forward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  const home = tempHome()
  const environment = {
    ...home.env,
    // Where it keeps its cache.
    TMPDIR: home.folder,
    http_proxy: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    GH_HOST: HOST,
    GH_TOKEN: token,
    GH_ENTERPRISE_TOKEN: token,
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    NO_COLOR: '1',
  }

  const run: Gh['run'] = (args) =>
    new Promise((resolve) => {
      execFile('gh', [...args, '--repo', `${HOST}/${github.owner}/${github.name}`], { cwd: home.folder, env: environment }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ code, stdout, stderr })
      })
    })

  return {
    run,
    async json(args, fields) {
      const { code, stdout, stderr } = await run([...args, '--json', fields.join(',')])
      if (code !== 0) throw new Error(`gh ${args.join(' ')}: ${stderr}`)
      return JSON.parse(stdout)
    },
    async close() {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
      home.remove()
    },
  }
}
