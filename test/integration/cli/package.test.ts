import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProgram } from '../../helpers/daemon.ts'
import { tempRepository, type TempRepository } from '../../helpers/temp-repository.ts'

/**
 * What `npm pack` makes, installed into an empty folder: nothing of this checkout is there to help.
 * Needs `dist`, which `npm test` has just built.
 */

const top = join(import.meta.dirname, '..', '..', '..')
const { version } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as {
  version: string
}

describe('the package', () => {
  let prefix: string
  let repository: TempRepository
  let env: Record<string, string>
  const exomonad = (...args: string[]) =>
    runProgram(join(prefix, 'node_modules', '.bin', 'exomonad'), args, {
      cwd: repository.path,
      env,
    })

  beforeAll(async () => {
    prefix = mkdtempSync(join(tmpdir(), 't-package-'))
    repository = await tempRepository()
    // npm finds its cache and its registry as whoever runs the tests has them set up; the package
    // gets nothing of theirs.
    const npm = (...args: string[]) =>
      promisify(execFile)('npm', args, {
        cwd: top,
        env: { ...process.env, TMPDIR: prefix },
        timeout: 110_000,
      })
    await npm('pack', '--ignore-scripts', '--silent', '--pack-destination', prefix)
    const [tarball = ''] = readdirSync(prefix).filter((name) => name.endsWith('.tgz'))
    await npm(
      'install',
      '--prefix',
      prefix,
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--silent',
      join(prefix, tarball),
    )
    env = {
      ...repository.env,
      PATH: [dirname(process.execPath), repository.env['PATH']].join(delimiter),
      NO_COLOR: '1',
    }
  })
  afterAll(async () => {
    await exomonad('down')
    repository.remove()
    rmSync(prefix, { recursive: true, force: true })
  })

  it('has what it names, and nothing of the tests or the sources', () => {
    const files = readdirSync(join(prefix, 'node_modules', 'exomonad'))
    expect(files).toEqual(
      expect.arrayContaining([
        'dist',
        'templates',
        'hooks',
        'examples',
        'package.json',
        'README.md',
        'LICENSE',
      ]),
    )
    for (const name of ['src', 'packages', 'test', 'bench']) expect(files).not.toContain(name)
    const built = readdirSync(join(prefix, 'node_modules', 'exomonad', 'dist'), {
      recursive: true,
      encoding: 'utf8',
    })
    expect(built).toEqual(
      expect.arrayContaining([
        'bin/exomonad.js',
        'bin/detached-host.js',
        'daemon/daemon.js',
        'index.js',
        'subagents/index.js',
        'subagents/mcp-bridge.js',
      ]),
    )
    // Of types what the two entries lead to.
    expect(built.filter((name) => /^types\/src\/(bin|daemon)\//.test(name))).toEqual([])
  })

  it('prints its version, sets a repository up, and starts its daemon, its agents’ terminals included', async () => {
    expect(await exomonad('--version')).toMatchObject({ code: 0, stdout: `${version}\n` })
    expect(await exomonad('init', '--no-prepare-agents')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('exomonad is set up'),
    })
    expect(await exomonad('tree')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('main'),
    })
    const task = await exomonad('run', '--wait', '--', 'echo from a package')
    expect(`${task.stdout}${task.stderr}`).toContain('from a package')
  })

  it.each(['exomonad', 'exomonad/subagents'])(
    'is a library that can be imported as %s, with types that hold in strict mode',
    async (name) => {
      const code = `import('${name}').then((library) => console.log(Object.keys(library).includes('registerSubagentTools')))`
      expect(await runProgram(process.execPath, ['-e', code], { cwd: prefix, env })).toMatchObject({
        stdout: 'true\n',
      })
      const folder = join(prefix, name.replace('/', '-'))
      mkdirSync(folder)
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
      writeFileSync(join(folder, 'program.ts'), consumer(name))
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        module: 'nodenext',
        target: 'es2023',
        noEmit: true,
        types: [join(top, 'node_modules', '@types', 'node')],
        // The library’s own types refer to nothing that must be installed beside it.
        skipLibCheck: name === 'exomonad',
      }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
      const tsc = join(top, 'node_modules', '.bin', 'tsc')
      expect(await runProgram(tsc, ['-p', folder], { cwd: folder, env })).toMatchObject({
        code: 0,
        stdout: '',
      })
    },
  )
})

const consumer = (name: string): string => `import {
  createAcpClient,
  createToolRegistry,
  ExomonadError,
  registerSubagentTools,
  type ACPClient,
  type SubagentCallbacks,
} from '${name}'

const callbacks: SubagentCallbacks = { onSubagentComplete: (id, { turns }) => \`\${id} \${turns}\` }
const acpClient: ACPClient = createAcpClient({ servers: [{ name: 'agent', command: 'gemini' }] })
const tools = createToolRegistry()
registerSubagentTools(tools, { acpClient, toolRegistry: tools, callbacks })
// @ts-expect-error a tool is called by its name
await tools.execute({ id: '1', arguments: {} })
try {
  await acpClient.initialize()
} catch (error) {
  if (!(error instanceof ExomonadError)) throw error
  const missing: boolean = error.code === 'AGENT_CLI_MISSING'
  // @ts-expect-error there is no such code
  if (error.code === 'NO_SUCH_CODE') console.log(missing)
}
`
