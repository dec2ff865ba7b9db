import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repositoryHash } from '../../../src/runtime/paths.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isInstalled } from '../../helpers/sandbox.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Each attempt is made by an agent that is confined and by one that is not: the second shows that
 * the attempt would work. What counts is what the test finds afterwards, not how a command ended.
 */
interface Attempt {
  readonly what: string
  /** For sh, in the agent’s worktree; what it prints is kept. */
  readonly command: (who: string) => string
  /** Held by sandbox = "offline" alone. */
  readonly network?: true
  /** Reads: the output has this. Writes: the file is there (or has the word). */
  readonly worked: (output: string, who: string) => boolean
}

const SECRET = 'word-that-nobody-may-see'
/** For the agent that is not confined, whose every attempt has to work. Milliseconds. */
const PATIENCE = 10_000
const LIMIT = { limit: 200_000 }
const PTRACE = process.arch === 'arm64' ? 117 : 101

describe.skipIf(!isInstalled())('a confined agent', () => {
  let tree: Exomonad
  let free: string
  let held: string
  let offline: string
  const outputs: Record<string, string[]> = {}
  const closing: (() => void)[] = []
  let attempts: Attempt[]

  const read = (what: string, command: string): Attempt => ({
    what,
    command: () => command,
    worked: (output) => output.includes(SECRET),
  })
  const write = (
    what: string,
    command: (path: string) => string,
    target: (who: string) => string,
  ): Attempt => ({
    what,
    command: (who) => command(target(who)),
    worked: (_output, who) => {
      const file = target(who)
      return existsSync(file) && readFileSync(file, 'utf8').includes(SECRET)
    },
  })
  const nodeIn = (code: string): string => `'${process.execPath}' -e '${code}'`

  const network = (what: string, code: string): Attempt => ({
    ...read(what, nodeIn(code)),
    network: true,
  })
  /** Not as long in vain as a machine takes that answers nothing, and longer than a busy one takes. */
  const connectTo = (where: string): string =>
    `require("net").connect(${where}).on("error", () => {}).setTimeout(${PATIENCE}, () => process.exit()).pipe(process.stdout)`
  /** By the proxy that the environment names, where it names one. */
  const tunnelTo = (port: number): string =>
    `const proxy = process.env.HTTPS_PROXY; const s = require("net").connect(proxy ? new URL(proxy).port : ${port}, "127.0.0.1").on("error", () => {}); if (proxy) s.write("CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n"); s.setTimeout(${PATIENCE}, () => process.exit()); s.pipe(process.stdout)`

  beforeAll(async () => {
    tree = await startExomonad({
      files: { 'README.md': 'A repository.\n', '.gitignore': '.env\nout-*\n' },
      config: `
[liveness]
reconcile_every = 1
[roles.held]
agent = "scripted"
sandbox = "workspace"
tools = ["note", "file_pr"]
[roles.offline]
agent = "scripted"
sandbox = "offline"
tools = ["note", "file_pr"]
`,
      prepareHome: (home) => {
        for (const file of ['.ssh/id_ed25519', '.aws/credentials', '.netrc', '.mozilla/cookies']) {
          mkdirSync(dirname(join(home, file)), { recursive: true })
          writeFileSync(join(home, file), SECRET)
        }
      },
    })
    const { repository, state } = tree
    writeFileSync(
      join(repository.path, '.exomonad', 'config.toml'),
      readFileSync(join(repository.path, '.exomonad', 'config.toml'), 'utf8') +
        `\n[sandbox]\nread = ["${join(import.meta.dirname, '../../fixtures/agents')}"]\nwrite = ["${tree.scripts}"]\n`,
    )
    writeFileSync(join(repository.path, '.env'), SECRET)
    const commonDir = join(repository.path, '.git')
    const owner = join(
      repository.env['XDG_STATE_HOME'] ?? '',
      'exomonad',
      `${repositoryHash(commonDir)}.token`,
    )
    const token = readFileSync(owner, 'utf8').trim()

    // A sibling with a file in its worktree, and a process with a secret in its environment.
    tree.script('sibling', {
      steps: [{ do: 'sh', command: `echo ${SECRET} > private` }],
    })
    const sibling = await spawnAs(tree, 'sibling', 'dev')
    await waitFor('the sibling', () => existsSync(join(sibling.worktree, 'private')))
    const other = spawn('/bin/sleep', ['1000'], { env: { MARK: SECRET } })
    closing.push(() => other.kill('SIGKILL'))
    const pid = other.pid ?? 0

    const listen = async (where: string | number, greeting = SECRET): Promise<number> => {
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.end(greeting)
      })
      await new Promise<void>((resolve) => server.listen(where as number, resolve))
      closing.push(() => server.close())
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : 0
    }
    mkdirSync(join(repository.folder, 'moved'))
    const unixSocket = join(repository.folder, 'other.sock')
    await listen(unixSocket)
    await listen(`\0${repository.folder}`)
    const port = await listen(0)
    const allowed = await listen(0)
    const datagrams = createSocket('udp4')
    datagrams.on('message', (_text, from) => datagrams.send(SECRET, from.port, from.address))
    await new Promise<void>((resolve) => datagrams.bind(0, '127.0.0.1', resolve))
    closing.push(() => datagrams.close())
    addAllowed(tree, `127.0.0.1:${allowed}`)

    const home = repository.home
    const siblingGit = join(commonDir, 'worktrees', sibling.worktree.split('/').at(-1) ?? '')
    const worktreeOf = (who: string): string => sibling.worktree.replace(/sibling$/, who)
    const gitOf = (who: string): string => siblingGit.replace(/sibling$/, who)
    // What git that the daemon runs may read, and no confined agent, is put where both write.
    const ranBy = (who: string): string => join(worktreeOf(who), 'out-ran')
    const inner: Attempt = {
      what: 'a program that git runs in a repository inside of its worktree',
      command: (who) =>
        [
          'git init -q inner && cd inner',
          `git config filter.x.clean 'cat "${home}/.ssh/id_ed25519" > "${ranBy(who)}"; cat'`,
          'echo a > a && git add a && git -c user.name=A -c user.email=a@b commit -qm A',
          'echo "* filter=x" > .gitattributes && echo b > a && cd .. && git add inner',
        ].join('; '),
      // By git outside, when the agent ends its turn: see below.
      worked: (_output, who) => {
        const file = ranBy(who === 'free' ? 'alone' : who)
        return existsSync(file) && readFileSync(file, 'utf8').includes(SECRET)
      },
    }
    attempts = [
      read('the owner’s token', `sed "s/${token}/${SECRET}/" '${owner}'`),
      read('an SSH key', `cat '${home}/.ssh/id_ed25519'`),
      read('cloud credentials', `cat '${home}/.aws/credentials'`),
      read('passwords in .netrc', `cat '${home}/.netrc'`),
      read('a browser’s profile', `cat '${home}/.mozilla/cookies'`),
      read('the main checkout’s .env', `cat '${repository.path}/.env'`),
      read('a sibling’s file', `cat '${sibling.worktree}/private'`),
      read('a sibling’s token', `sed 's/.*/${SECRET}/' '${state}/auth/${sibling.agent_id}'`),
      read('the store', `head -c 16 '${state}/store.db' | sed 's/SQLite format.*/${SECRET}/'`),
      read('a secret through a link', `ln -s '${home}/.ssh' link-$$ && cat link-$$/id_ed25519`),
      read('the environment of a process', `tr '\\0' ' ' < /proc/${pid}/environ`),
      // What it says of those that end meanwhile would come amid the words that are looked for.
      read('what anybody’s process holds', `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' ' '`),
      read('a signal to another process', `kill -0 ${pid} && echo ${SECRET}`),
      read(
        'ptrace of another process',
        `perl -e 'exit(syscall(${PTRACE}, 16, ${pid}, 0, 0) == 0 ? 0 : 1)' && echo ${SECRET}`,
      ),
      read(
        'somebody’s Unix socket',
        nodeIn(
          `require("net").connect("${unixSocket}").on("error", () => {}).pipe(process.stdout)`,
        ),
      ),
      write(
        'a file of the home',
        (path) => `echo ${SECRET} >> '${path}'`,
        (who) => join(home, `bashrc-${who}`),
      ),
      write(
        'a file of the home through a link',
        (path) => `ln -s '${path}' out-link-$$ && echo ${SECRET} > out-link-$$`,
        (who) => join(home, `linked-${who}`),
      ),
      write(
        'a temporary file of everyone’s',
        (path) => `mkdir -p '${repository.folder}'; echo ${SECRET} > '${path}'`,
        (who) => join(repository.folder, `temporary-${who}`),
      ),
      write(
        'the main checkout',
        (path) => `echo ${SECRET} > '${path}'`,
        (who) => join(repository.path, `out-${who}`),
      ),
      write(
        'a sibling’s worktree',
        (path) => `echo ${SECRET} > '${path}'`,
        (who) => join(sibling.worktree, `out-${who}`),
      ),
      write(
        'a sibling’s git folder',
        (path) => `echo ${SECRET} > '${path}'`,
        (who) => join(siblingGit, `out-${who}`),
      ),
      {
        what: 'the configuration of git that all share',
        command: (who) => `git config --file '${join(commonDir, 'config')}' core.${who}-got yes`,
        worked: (_output, who) =>
          readFileSync(join(commonDir, 'config'), 'utf8').includes(`${who}-got`),
      },
      write(
        'a hook of git',
        (path) => `mkdir -p '${dirname(path)}'; echo '#${SECRET}' > '${path}'`,
        (who) => join(commonDir, 'hooks', `post-${who}`),
      ),
      write(
        'packs of git',
        (path) => `mkdir -p '${dirname(path)}'; echo '${SECRET}' > '${path}'`,
        (who) => join(commonDir, 'objects', 'pack', `out-${who}`),
      ),
      write(
        'the program that agents are given',
        (path) => `echo '#${SECRET}' > '${path}'`,
        (who) => join(state, 'bin', `out-${who}`),
      ),
      network('a port of this machine', connectTo(`{port: ${port}, host: "127.0.0.1"}`)),
      network('an abstract socket', connectTo(`{path: "\\0${repository.folder}"}`)),
      network(
        'datagrams, as DNS has them',
        `const s = require("dgram").createSocket("udp4"); s.send("?", ${datagrams.address().port}, "127.0.0.1"); s.on("message", (m) => { console.log(String(m)); s.close() }); setTimeout(() => s.close(), ${PATIENCE}).unref()`,
      ),
      network('a port of this machine through the proxy', tunnelTo(port)),
      // What the daemon’s git would take orders from.
      inner,
      // What the daemon moves, reads and writes for it.
      {
        what: 'a spool that leads elsewhere',
        command: (who) =>
          `mkdir -p "$EXOMONAD_SPOOL" && ln -sfn '${join(repository.folder, 'moved')}' "$EXOMONAD_SPOOL/broken"; echo ${SECRET} > "$EXOMONAD_SPOOL/moved-${who}"`,
        worked: (_output, who) => existsSync(join(repository.folder, 'moved', `moved-${who}`)),
      },
      write(
        'a configuration for its worktree alone',
        (path) => `echo '[core] fsmonitor = ${SECRET}' > '${path}'`,
        (who) => join(gitOf(who), 'config.worktree'),
      ),
      write(
        'which repository its git folder is of',
        (path) =>
          `cp '${path}' /tmp/was-$$; echo '${SECRET}' > '${path}'; cat /tmp/was-$$ > '${path}.was'`,
        (who) => join(gitOf(who), 'commondir'),
      ),
      write(
        'the .git of its worktree',
        (path) => `rm -f '${path}'; echo 'gitdir: /tmp/${SECRET}' > '${path}'`,
        (who) => join(worktreeOf(who), '.git'),
      ),
    ]
    const steps = (who: string) =>
      attempts.map(({ command }, index) => ({
        do: 'sh',
        allow_failure: true,
        command: `{ ${command(who)}\n} > "${tree.scripts}/${who}-${index}" 2>&1`,
      }))
    /** Once it has tried all of it. */
    const stopped = (who: string) =>
      waitFor(`${who} to stop`, () => tree.log(who).some(({ kind }) => kind === 'stop'), LIMIT)
    const run = async (who: string, role: string): Promise<string> => {
      tree.script(who, {
        steps: [...steps(who), { do: 'print', text: 'tried' }, { do: 'stop' }],
      })
      const { worktree, agent_id: id } = await spawnAs(tree, who, role)
      await stopped(who)
      const spool = role === 'dev' ? join(state, 'spool') : join(state, 'agents', id, 'spool')
      await waitFor('its spool to be read', () => !existsSync(join(spool, `moved-${who}`)))
      outputs[who] = attempts.map((_, index) => {
        const file = join(tree.scripts, `${who}-${index}`)
        return existsSync(file) ? readFileSync(file, 'utf8') : ''
      })
      return worktree
    }
    held = await run('held', 'held')
    offline = await run('offline', 'offline')
    // Without what the next one does to its own git folder, in which git looks at nothing then.
    tree.script('alone', {
      steps: [{ do: 'sh', command: inner.command('alone') }, { do: 'stop' }],
    })
    await spawnAs(tree, 'alone', 'dev')
    await stopped('alone')
    // Last: it does to the repository what the others could not.
    free = await run('free', 'dev')

    tree.script('reaches', {
      steps: [
        { do: 'sh', command: `${nodeIn(tunnelTo(allowed))} > "${tree.scripts}/tunnelled"` },
        {
          do: 'sh',
          command: `${nodeIn(connectTo(`{port: ${allowed}, host: "127.0.0.1"}`))} > "${tree.scripts}/reached"`,
        },
        { do: 'tool', name: 'note', input: { message: 'I reach the daemon' } },
        { do: 'exit', code: 7 },
      ],
    })
    await spawnAs(tree, 'reaches', 'offline')
  }, 300_000)

  afterAll(async () => {
    for (const close of closing) close()
    await tree?.stop()
  })

  const names = (network?: true): string[] =>
    attempts.filter((attempt) => attempt.network === network).map(({ what }) => what)
  const succeeded = (who: string): string[] =>
    attempts
      .filter(({ worked }, index) => worked(outputs[who]?.[index] ?? '', who))
      .map(({ what }) => what)

  it('could do all of this if it were not', () => {
    expect(free).not.toBe(held)
    expect(succeeded('free').toSorted()).toEqual([...names(), ...names(true)].toSorted())
  })

  it('reads, writes, signals and traces nothing outside', () => {
    expect(succeeded('held')).toEqual(names(true))
  })

  it('reaches nobody either without a network', () => {
    expect(offline).not.toBe(held)
    expect(succeeded('offline')).toEqual([])
  })

  it('reaches what is let through, and the daemon, and ends as its program ends', async () => {
    await waitFor('its note', async () =>
      (await tree.call('inbox')).messages.some(({ text }: any) => text.includes('I reach')),
    )
    const failed = await waitFor('its end', async () =>
      (await tree.events()).find(
        ({ type, agent_id: id, payload }) =>
          type === 'agent.failed' && (id !== undefined || payload !== undefined),
      ),
    )
    expect(JSON.stringify(failed)).toContain('7')
    for (const file of ['tunnelled', 'reached'])
      expect(readFileSync(join(tree.scripts, file), 'utf8')).toContain(SECRET)
  })
})

function addAllowed(tree: Exomonad, host: string): void {
  const file = join(tree.repository.path, '.exomonad', 'config.toml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('[sandbox]\n', `[sandbox]\nallow_hosts = ["${host}"]\n`))
}

async function spawnAs(
  tree: Exomonad,
  name: string,
  role: string,
): Promise<{ agent_id: string; worktree: string }> {
  const { spawned, errors } = await tree.call('spawn', {
    kind: 'worker',
    specs: [{ name, prompt: 'Try it.', role }],
  })
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  return spawned[0]
}
