import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { runProgram } from './daemon.ts'

/**
 * Test helper: exomonad as it was at a commit of this repository, built from its history with the
 * packages that are installed today, and put where a package manager would put it. Use:
 *
 *   const installed = await installEarlier('6bebd348', folder)
 *   …                                   // node installed.bin …
 *   installed.upgrade()                 // the same paths are today's now
 */
export interface Installed {
  /** A link, as npm makes one: to the program of that version, and after `upgrade` of today's. */
  readonly bin: string
  /** The scripted agent of that version, see test/fixtures/agents/scripted.js; stays what it is. */
  readonly agent: string
  /** Every configuration key of that version, by example. */
  readonly exampleConfig: string
  /** Puts today's build (`npm run build`) in its place, as the installation of a new version does. */
  upgrade(): void
  /** Puts the earlier one back. */
  downgrade(): void
}

const top = join(import.meta.dirname, '..', '..')
/** Entries of this package’s folder that are published (package.json, `files`). */
const PUBLISHED = ['dist', 'templates', 'hooks', 'package.json']

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

/** Into `folder`, which must be empty or absent. Throws where history or build are not there. */
export async function installEarlier(commit: string, folder: string): Promise<Installed> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder }
  const run = async (file: string, args: string[], cwd: string): Promise<string> => {
    const { code, stdout, stderr } = await runProgram(file, args, { cwd, env })
    if (code !== 0) throw new Error(`${file} ${args.join(' ')}: ${stdout}${stderr}`)
    return stdout
  }
  const was = join(folder, 'was')
  mkdirSync(was, { recursive: true })
  await run('git', ['-c', 'safe.directory=*', 'cat-file', '-e', `${commit}^{commit}`], top).catch(
    (error: unknown) => {
      throw new Error(
        `This checkout’s history lacks ${commit}, from which an earlier version is built: \`git fetch --unshallow\`.`,
        { cause: error },
      )
    },
  )
  await run(
    'sh',
    ['-c', 'git -c safe.directory=* archive "$1" | tar x -C "$2"', 'sh', commit, was],
    top,
  )
  symlinkSync(join(top, 'node_modules'), join(was, 'node_modules'))
  const rolldown = join(top, 'node_modules', 'rolldown', 'bin', 'cli.mjs')
  await run(process.execPath, [rolldown, '-c', 'rolldown.config.ts'], was)

  const place = join(folder, 'exomonad')
  const bin = join(folder, 'exomonad-bin')
  const put = (from: string): void => {
    rmSync(place, { recursive: true, force: true })
    rmSync(bin, { force: true })
    mkdirSync(place)
    for (const name of PUBLISHED)
      cpSync(join(from, name), join(place, name), { recursive: true, preserveTimestamps: true })
    symlinkSync(join(top, 'node_modules'), join(place, 'node_modules'))
    const entry = ['dist/bin/exomonad.js', 'dist/bin.js'].find((path) =>
      existsSync(join(place, path)),
    )
    symlinkSync(join(place, entry ?? 'dist'), bin)
  }
  put(was)
  return {
    bin,
    agent: join(was, 'test', 'fixtures', 'agents', 'scripted.js'),
    exampleConfig: join(was, '.exomonad.example', 'config.toml'),
    upgrade: () => put(top),
    downgrade: () => put(was),
  }
}
