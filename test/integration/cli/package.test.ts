import { execFile } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
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

/** Of packing and of installing: for a busy machine. Milliseconds. */
const LIMIT = 240_000

describe('the package', () => {
  let prefix: string
  let said: string
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
        timeout: LIMIT,
      })
    // As a release packs it, which holds it against publint and attw; `npm test` has built the rest.
    const release = await promisify(execFile)(
      process.execPath,
      [
        join(top, 'scripts', 'release', 'run.ts'),
        ...['--dry-run', '--built', '--tests', 'none', '--node', 'none'],
        ...['--out', join(prefix, 'release')],
      ],
      { cwd: top, env: { ...process.env, TMPDIR: prefix }, timeout: LIMIT },
    )
    said = release.stdout
    const [packed = ''] = readdirSync(join(prefix, 'release')).filter((name) =>
      name.endsWith('.tgz'),
    )
    await npm(
      'install',
      '--prefix',
      prefix,
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--silent',
      join(prefix, 'release', packed),
    )
    env = {
      ...repository.env,
      PATH: [dirname(process.execPath), repository.env['PATH']].join(delimiter),
      NO_COLOR: '1',
    }
  }, 2 * LIMIT)
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
        'man',
        'plugins',
        '.claude-plugin',
        '.agents',
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
        'bin/daemon.js',
        'bin/detached-host.js',
        'daemon/daemon.js',
        'index.js',
        'subagents/index.js',
        'subagents/mcp-bridge.js',
      ]),
    )
    // It goes on while an upgrade replaces all files: nothing is left for it to load.
    const host = join(prefix, 'node_modules', 'exomonad', 'dist', 'bin', 'detached-host.js')
    expect(readFileSync(host, 'utf8')).not.toMatch(/\bfrom "\.|\bimport\(/)
    // Of types one file for each entry, and one for what both share.
    expect(built.filter((name) => name.endsWith('.d.ts')).toSorted()).toEqual([
      'index.d.ts',
      'subagents/index.d.ts',
      expect.stringMatching(/^subagents\/types-[\w-]+\.d\.ts$/),
    ])
  })

  it('installs little: what is bundled is not there a second time', () => {
    const all = join(prefix, 'node_modules')
    expect(installed(all)).toEqual([
      expect.stringMatching(/^@lydell\/node-pty$/),
      expect.stringMatching(/^@lydell\/node-pty-/),
      'better-sqlite3',
      'exomonad',
      'node-addon-api',
      'zod',
    ])
    expect(sizeOf(all)).toBeLessThan(80e6)
  })

  it('names what is bundled with the texts of its licences', () => {
    const dist = join(prefix, 'node_modules', 'exomonad', 'dist')
    const bundled = JSON.parse(readFileSync(join(dist, 'bundled-packages.json'), 'utf8')) as {
      name: string
      version: string
      license: string
    }[]
    expect(bundled.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['commander', 'fastify', 'ink', 'kysely', 'pg', 'zod']),
    )
    const notices = readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    for (const { name, version, license } of bundled)
      expect(notices).toContain(`${name} ${version} (${license})`)
    expect(notices).toContain('Copyright (c) 2011 TJ Holowaychuk <tj@vision-media.ca>')
  })

  it('has all that its README links to, and of the documentation pages and pictures', () => {
    const own = join(prefix, 'node_modules', 'exomonad')
    const pages = readdirSync(join(own, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name))
    const links = ['README.md', ...pages].flatMap((page) =>
      [...readFileSync(join(own, page), 'utf8').matchAll(/\]\(([^)#\s]+)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .map((target) => ({ page, target, file: join(dirname(page), target) })),
    )
    expect(links.map(({ page }) => page)).toContain('README.md')
    // Sources and tests that a page names are in the repository alone.
    const wanted = links.filter(({ page, file }) => page === 'README.md' || file.startsWith('docs'))
    expect(wanted.filter(({ file }) => !existsSync(join(own, file)))).toEqual([])
    // Pictures that nobody gets to see would be most of what is downloaded.
    const pictures = readdirSync(join(own, 'docs', 'images')).map((name) =>
      join('docs', 'images', name),
    )
    const shown = new Set(links.map(({ file }) => file))
    expect(pictures.filter((picture) => !shown.has(picture))).toEqual([])
  })

  it('is a release without a warning, and a dry run publishes nothing', () => {
    expect(said).toContain('All good!')
    expect(said).toMatch(/npm publish .*exomonad-[\d.]+\.tgz --provenance/)
    expect(said).toContain('Nothing was published')
    const files = readdirSync(join(prefix, 'release')).toSorted()
    expect(files).toEqual([
      'NOTES.md',
      'SHA256SUMS',
      `exomonad-${version}.cdx.json`,
      `exomonad-${version}.tgz`,
    ])
  })

  it('has a bill of materials of all that people get, and of nothing else', () => {
    const bill = JSON.parse(
      readFileSync(join(prefix, 'release', `exomonad-${version}.cdx.json`), 'utf8'),
    ) as { components: { name: string }[] }
    const names = bill.components.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'zod', 'fastify', 'react-dom']))
    for (const tool of ['vitest', 'typescript', 'rolldown']) expect(names).not.toContain(tool)
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
        skipLibCheck: false,
      }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
      const tsc = join(top, 'node_modules', '.bin', 'tsc')
      expect(
        await runProgram(tsc, ['-p', folder], { cwd: folder, env, timeout: 110_000 }),
      ).toMatchObject({
        code: 0,
        stdout: '',
      })
    },
  )
})

/** Names of the packages in a folder of them. */
const installed = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`)
        : [name],
    )
    .toSorted()

/** Bytes. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + lstatSync(join(folder, name)).size,
    0,
  )

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
