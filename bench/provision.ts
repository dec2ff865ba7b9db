import { writeFileSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { execa } from 'execa'
import { announce, median, timed, type Figure } from './figures.ts'
import { benchTree, type BenchTree } from './tree.ts'

/** As an ordinary node_modules: packages, files in each, and what all of them weigh. */
const PACKAGES = 800
const FILES = 50
const BYTES = 7_500
const ROUNDS = 3
/** On a busy disk a round takes minutes: no other begins after so many milliseconds. */
const ENOUGH = 60_000

/**
 * A new worktree that is ready to work in: an ignored folder brought along beside `cp -a` by hand,
 * and the first check of a worker whose dependencies come from the set-up cache, beside installing
 * them each time. Needs a package registry once.
 */
export async function measureProvision(): Promise<Figure[]> {
  return [...(await measureInclude()), ...announce(await measureSetup())]
}

async function measureInclude(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const method of ['copy', 'hardlink'] as const) {
    const tree = await benchTree({
      files: { '.gitignore': 'node_modules/\n', 'a.txt': 'a' },
      config: `[worktree]\ninclude = [{ path = "node_modules", method = "${method}" }]\n`,
    })
    try {
      const { repository } = tree.exomonad
      await fill(join(repository.path, 'node_modules'))
      const [samples, floors]: [number[], number[]] = [[], []]
      const begun = performance.now()
      for (let round = 0; round < ROUNDS && performance.now() - begun < ENOUGH; round += 1) {
        const place = join(repository.folder, `by-hand-${round}`)
        const byHand = async () => {
          await repository.git('worktree', 'add', '-q', '-b', `hand-${round}`, place)
          const flags = method === 'copy' ? ['-a'] : ['-al']
          await execa('cp', [...flags, join(repository.path, 'node_modules'), place])
        }
        floors.push((await timed(byHand)).ms)
        samples.push((await timed(() => spawn(tree, `${method}-${round}`))).ms)
        await rm(place, { recursive: true })
      }
      const floorName = `git worktree add + cp ${method === 'copy' ? '-a' : '-al'}`
      const name = `spawn with ${PACKAGES * FILES} files, 300 MB, ${method}`
      figures.push(...announce([figure(name, samples, floorName, floors)]))
    } finally {
      await tree.exomonad.stop()
    }
  }
  return figures
}

/** From the command that spawns a worker to the end of its first `tsc`. */
async function measureSetup(): Promise<Figure[]> {
  const run = '["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"]'
  const samples = new Map<string, number[]>()
  // Where this machine gets packages from; tests have a HOME of their own.
  const npmrc: string[] = []
  const { stdout: registry } = await execa('npm', ['config', 'get', 'registry'])
  npmrc.push(`registry=${registry}`)
  const certificates = process.env['NODE_EXTRA_CA_CERTS']
  if (certificates !== undefined) npmrc.push(`cafile=${certificates}`)
  for (const [name, setup] of [
    ['each time', `[worktree]\nsetup = [${run}]\n`],
    [
      'from the cache',
      `[[worktree.setup]]\nrun = ${run}\nkey = ["package-lock.json"]\noutputs = ["node_modules"]\n`,
    ],
  ] as const) {
    const tree = await benchTree({
      files: {
        '.gitignore': 'node_modules/\n',
        'package.json': JSON.stringify({
          private: true,
          dependencies: { typescript: '5.9.3', '@types/node': '24.10.1', eslint: '9.39.1' },
        }),
        'tsconfig.json': JSON.stringify({ compilerOptions: { noEmit: true, types: ['node'] } }),
        'index.ts': 'export const port: string | undefined = process.env.PORT\n',
      },
      config: setup,
      prepareHome: (home) => writeFileSync(join(home, '.npmrc'), `${npmrc.join('\n')}\n`),
    })
    try {
      const { repository } = tree.exomonad
      await execa('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], {
        cwd: repository.path,
      })
      await repository.commit({
        'package-lock.json': await readFile(join(repository.path, 'package-lock.json'), 'utf8'),
      })
      await spawn(tree, 'first')
      const all: number[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const check = async () => {
          const worktree = await spawn(tree, `round-${round}`)
          await execa('node_modules/.bin/tsc', ['-p', '.'], { cwd: worktree })
        }
        all.push((await timed(check)).ms)
      }
      samples.set(name, all)
    } finally {
      await tree.exomonad.stop()
    }
  }
  return [
    figure(
      'spawn and first tsc of a worker, dependencies from the set-up cache',
      samples.get('from the cache') ?? [],
      'npm ci in each worktree, from npm’s own cache',
      samples.get('each time') ?? [],
    ),
  ]
}

const figure = (
  name: string,
  samples: readonly number[],
  floorName: string,
  floors: readonly number[],
): Figure => ({
  name: `${name}, median`,
  unit: 'ms',
  value: median(samples),
  floorName,
  floor: median(floors),
  target: null,
  samples: samples.length,
})

/** The command as it is typed, its start included; returns the worktree. */
async function spawn({ exomonad }: BenchTree, name: string): Promise<string> {
  const { json } = await exomonad.run(['spawn', 'workers', `${name}=x`, '--json'], {
    timeout: 300_000,
  })
  const worktree: unknown = json?.spawned?.[0]?.worktree
  if (typeof worktree !== 'string') throw new Error(`no worker: ${JSON.stringify(json)}`)
  return worktree
}

async function fill(folder: string): Promise<void> {
  await mkdir(join(folder, '.bin'), { recursive: true })
  const content = Buffer.alloc(BYTES, 'exports.value = 1\n')
  for (let index = 0; index < PACKAGES; index += 1) {
    const place = join(folder, `package-${index}`)
    await mkdir(join(place, 'lib'), { recursive: true })
    await Promise.all(
      Array.from({ length: FILES }, (_, file) =>
        writeFile(join(place, file % 2 === 0 ? 'lib' : '', `file-${file}.js`), content),
      ),
    )
    await symlink(`../package-${index}/lib/file-0.js`, join(folder, '.bin', `package-${index}`))
  }
}
