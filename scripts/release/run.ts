import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { BUNDLED_FILE, type BundledPackage } from '../build/third-party-notices.ts'
import { billOfPackage, type BillOfMaterials } from './bill-of-materials.ts'
import { entryOf } from './changelog.ts'

/**
 * `npm run release`: publishes the version that `npm version X.Y.Z` made, from a clean checkout of
 * its tag, tested, with a bill of materials and npm’s provenance. Nothing is published before
 * everything else went well, and with --dry-run nothing at all; what a release would still need is
 * then said, and no fault.
 */
const HELP = `npm run release -- [options]

  --dry-run        do everything but publish; what is missing for a release is said, and no fault
  --out FOLDER     where the package, its bill of materials and the checksums go (release/)
  --tests WHICH    all (npm test), fast (lint, types, unit tests), none, or done: CI has run them
                   all; all, with --dry-run fast
  --node VERSIONS  Node versions whose npx runs \`exomonad demo\` of the package, or none
                   (22.14.0,24,latest)
  --built          dist/ is built already`

const top = join(import.meta.dirname, '..', '..')
const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    out: { type: 'string', default: join(top, 'release') },
    tests: { type: 'string' },
    node: { type: 'string', default: '22.14.0,24,latest' },
    built: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const dry = values['dry-run']
const tests = values.tests ?? (dry ? 'fast' : 'all')

class Failed extends Error {}
const todo: string[] = []
/** From then on npm alone knows whether it was published. */
let begun = false

/** Something that a release needs and a dry run goes on without. */
function need(fulfilled: boolean, what: string): void {
  if (fulfilled) return
  if (!dry) throw new Failed(what)
  todo.push(what)
  console.log(`  · ${what}`)
}

const step = (what: string): void => console.log(`\n▸ ${what}`)

interface RunOptions {
  readonly cwd?: string
  /** Returns what it prints instead of showing it. */
  readonly quiet?: boolean
  readonly env?: NodeJS.ProcessEnv
  /** Without the programs of this checkout. */
  readonly bare?: boolean
}

function run(program: string, args: readonly string[], options: RunOptions = {}): string {
  const { cwd = top, quiet = false, env = process.env, bare = false } = options
  const own = bare ? [] : [join(top, 'node_modules', '.bin')]
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    env: {
      ...env,
      PATH: [...own, env['PATH'] ?? ''].join(delimiter),
    },
    maxBuffer: 256 * 1024 * 1024,
  })
  if (status !== 0)
    throw new Failed(
      [`${program} ${args.join(' ')} failed`, error?.message ?? '', stdout ?? '', stderr ?? '']
        .filter((text) => text !== '')
        .join('\n'),
    )
  return (stdout ?? '').trim()
}

function checkState(version: string): void {
  step(`Version ${version}`)
  const git = (...args: string[]): string => run('git', args, { quiet: true })
  need(git('status', '--porcelain') === '', 'the checkout has changes that are not committed')
  const tags = git('tag', '--points-at', 'HEAD').split('\n')
  need(
    tags.includes(`v${version}`),
    `HEAD has no tag v${version}: npm version X.Y.Z writes the changelog’s entry, commits and tags`,
  )
  const changelog = readFileSync(join(top, 'CHANGELOG.md'), 'utf8')
  need(
    entryOf(changelog, version) !== null,
    `CHANGELOG.md has no entry [${version}] with words in it`,
  )
  // npm gets its proof of where a package was built from these alone.
  need(
    process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] !== undefined ||
      process.env['SIGSTORE_ID_TOKEN'] !== undefined,
    'provenance is given in CI only (.github/workflows/release.yml)',
  )
}

function runTests(): void {
  step(`Tests: ${tests}`)
  if (tests === 'all') {
    run('npm', ['run', 'check'])
    run('npm', ['test'])
  } else if (tests === 'fast') {
    run('npm', ['run', 'check'])
    run('npm', ['run', 'test:fast'])
  } else if (!['none', 'done'].includes(tests))
    throw new Failed(`--tests ${tests}: all, fast, none or done`)
  need(['all', 'done'].includes(tests), `only these tests were run: ${tests}`)
}

/** Returns the package's file. */
function pack(out: string): string {
  step('The package')
  if (!values.built) run('npm', ['run', 'build', '--silent'])
  if (!values.built || !existsSync(join(top, 'dist', 'index.d.ts')))
    run('npm', ['run', 'build:types', '--silent'])
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', out], { quiet: true })
  const [name = ''] = readdirSync(out)
  const tarball = join(out, name)
  run('publint', ['run', tarball, '--strict'])
  run('attw', [tarball, '--profile', 'esm-only'], { quiet: true })
  console.log(`  ${name}, ${(readFileSync(tarball).length / 1e6).toFixed(1)} MB`)
  return tarball
}

/** Beside the package: what is in it, the checksums of both, and what the changelog says. */
function describePackage(tarball: string, version: string): void {
  step('Bill of materials')
  const whole = JSON.parse(
    run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], { quiet: true }),
  ) as BillOfMaterials
  // Of the programs, and of the page.
  const bundled = ['dist', join('dist', 'web')].flatMap(
    (folder) =>
      JSON.parse(readFileSync(join(top, folder, BUNDLED_FILE), 'utf8')) as BundledPackage[],
  )
  const bill = billOfPackage(whole, bundled)
  const out = join(tarball, '..')
  const file = join(out, `exomonad-${version}.cdx.json`)
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`)
  console.log(`  ${basename(file)}, ${bill.components.length} packages`)
  const sums = [tarball, file].map(
    (one) => `${createHash('sha256').update(readFileSync(one)).digest('hex')}  ${basename(one)}\n`,
  )
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
  const changelog = readFileSync(join(top, 'CHANGELOG.md'), 'utf8')
  const notes = entryOf(changelog, version) ?? entryOf(changelog, 'Unreleased') ?? ''
  writeFileSync(join(out, 'NOTES.md'), `${notes}\n`)
}

/**
 * As a stranger would, in an empty folder with an empty home and nothing of this checkout on PATH:
 * npm puts its programs there for whatever it runs.
 */
function tryOut(tarball: string): void {
  const cache = run('npm', ['config', 'get', 'cache'], { quiet: true })
  const PATH = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(top))
    .join(delimiter)
  for (const version of values.node === 'none' ? [] : values.node.split(',')) {
    step(`npx exomonad demo on Node ${version}`)
    const home = mkdtempSync(join(tmpdir(), 'release-'))
    try {
      const env = { ...process.env, PATH, HOME: home, npm_config_cache: cache }
      const packages = ['-p', `node@${version}`, '-p', tarball]
      const started = performance.now()
      const said = run('npx', ['-y', ...packages, '-c', 'node --version && exomonad demo'], {
        cwd: home,
        quiet: true,
        env,
        bare: true,
      })
      const [node = ''] = said.split('\n')
      if (!said.includes('All tests of the library pass')) throw new Failed(said)
      const seconds = ((performance.now() - started) / 1000).toFixed(0)
      console.log(
        `  ${node}: the demo's library passes its tests (${seconds} s, with npx's install)`,
      )
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  }
  need(values.node !== 'none', 'the demo was not run from the package')
}

function publish(tarball: string): void {
  const args = ['publish', tarball, '--provenance', '--access', 'public']
  step(dry ? `Would be run: npm ${args.join(' ')}` : 'Publish')
  if (dry) return
  begun = true
  run('npm', args)
}

try {
  if (values.help) console.log(HELP)
  else {
    const { version } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as {
      version: string
    }
    checkState(version)
    runTests()
    const tarball = pack(values.out)
    describePackage(tarball, version)
    tryOut(tarball)
    publish(tarball)
    if (dry)
      console.log(
        todo.length === 0
          ? '\n✓ Ready. Nothing was published.'
          : `\n✓ Nothing was published. A release still needs:\n${todo.map((what) => `  · ${what}\n`).join('')}`,
      )
  }
} catch (error) {
  if (!(error instanceof Failed)) throw error
  const outcome = begun ? 'Whether it was published: npm view exomonad' : 'Nothing was published.'
  console.error(`\n✗ ${error.message}\n${outcome}`)
  process.exitCode = 1
}
