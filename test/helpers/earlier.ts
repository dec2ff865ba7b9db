import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { runProgram } from './daemon.ts'

/**
 * Test helper: exomonad as it was at a commit of this repository, built from its history with the
 * packages that are installed today, and put where a package manager would put it. Use:
 *
 *   const installed = await installEarlier('6bebd348', folder)
 *   …                                   // node installed.bin …
 *   await installed.upgrade()               // the same paths are today's now
 */
export interface Installed {
  /** A link, as npm makes one: to the program of that version, and after `upgrade` of today's. */
  readonly bin: string
  /** The scripted agent of that version, see test/fixtures/agents/scripted.js; stays what it is. */
  readonly agent: string
  /** Every configuration key of that version, by example. */
  readonly exampleConfig: string
  /** Puts today's build (`npm run build`) in its place, as the installation of a new version does. */
  upgrade(): Promise<void>
  /** Puts the earlier one back. */
  downgrade(): Promise<void>
}

const top = join(import.meta.dirname, '..', '..')
/** Entries of this package’s folder that are published (package.json, `files`). */
const PUBLISHED = ['dist', 'templates', 'hooks', 'package.json']
/** What is not needed to build and try it: nine tenths of a commit. */
const LEFT_OUT = ['bench', 'docs', 'test/unit', 'test/integration', 'test/conformance', 'test/e2e']

/**
 * Whether this checkout has a history at all: a shallow clone or an unpacked archive has none, and
 * nothing can be built from it. `git fetch --unshallow` brings it.
 */
export async function hasHistory(): Promise<boolean> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: top }
  const { code, stdout } = await runProgram(
    'git',
    ['-c', 'safe.directory=*', 'rev-parse', '--is-shallow-repository'],
    { cwd: top, env },
  )
  return code === 0 && stdout.trim() === 'false'
}

/** Of each commit once: a file tries several ways of replacing the same one. */
const builds = new Map<string, Promise<string>>()

/** A folder with the sources and the build of a commit. Throws where history or build are not there. */
function buildEarlier(commit: string): Promise<string> {
  const begun = builds.get(commit) ?? build(commit)
  builds.set(commit, begun)
  return begun
}

/** To be called once after all of them. */
export async function removeBuilds(): Promise<void> {
  for (const built of builds.values())
    rmSync(await built.catch(() => ''), { recursive: true, force: true })
  builds.clear()
}

async function run(file: string, args: string[], cwd: string): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd }
  const { code, stdout, stderr } = await runProgram(file, args, { cwd, env })
  if (code !== 0) throw new Error(`${file} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

async function build(commit: string): Promise<string> {
  await run('git', ['-c', 'safe.directory=*', 'cat-file', '-e', `${commit}^{commit}`], top).catch(
    (error: unknown) => {
      throw new Error(
        `This checkout’s history lacks ${commit}, from which an earlier version is built: \`git fetch --unshallow\`.`,
        { cause: error },
      )
    },
  )
  const was = mkdtempSync(join(tmpdir(), 'e-was-'))
  const script = 'to=$1; shift; git -c safe.directory=* archive "$@" | tar x -C "$to"'
  const without = LEFT_OUT.map((path) => `:(exclude)${path}`)
  await run('sh', ['-c', script, 'sh', was, commit, '--', ...without], top)
  symlinkSync(join(top, 'node_modules'), join(was, 'node_modules'))
  const rolldown = join(top, 'node_modules', 'rolldown', 'bin', 'cli.mjs')
  await run(process.execPath, [rolldown, '-c', 'rolldown.config.ts'], was)
  return was
}

/** Into `folder`, which must be empty or absent. Throws where history or build are not there. */
export async function installEarlier(commit: string, folder: string): Promise<Installed> {
  const was = await buildEarlier(commit)
  mkdirSync(folder, { recursive: true })
  const place = join(folder, 'exomonad')
  const bin = join(folder, 'exomonad-bin')
  const put = async (from: string): Promise<void> => {
    rmSync(place, { recursive: true, force: true })
    rmSync(bin, { force: true })
    mkdirSync(place)
    // The same files under other names: nobody writes into what is installed.
    const published = PUBLISHED.map((name) => join(from, name))
    await run('sh', ['-c', 'cp -al "$@" 2>/dev/null || cp -a "$@"', 'sh', ...published, place], top)
    symlinkSync(join(top, 'node_modules'), join(place, 'node_modules'))
    const entry = ['dist/bin/exomonad.js', 'dist/bin.js'].find((path) =>
      existsSync(join(place, path)),
    )
    symlinkSync(join(place, entry ?? 'dist'), bin)
  }
  await put(was)
  return {
    bin,
    agent: join(was, 'test', 'fixtures', 'agents', 'scripted.js'),
    exampleConfig: join(was, '.exomonad.example', 'config.toml'),
    upgrade: () => put(top),
    downgrade: () => put(was),
  }
}
