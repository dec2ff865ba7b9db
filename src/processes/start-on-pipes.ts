import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { makePipesFolder } from './pipes-folder.ts'

export interface OnPipes {
  readonly child: ChildProcess
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

/**
 * A process in a session and process group of its own, on pipes. Listen on `child` for `error` (it
 * did not start) and `exit`; end it by the group. They are pipes as a shell makes them: Node’s own
 * are sockets, which no program can open again as /dev/stdout or /dev/stderr.
 */
export function startOnPipes(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): OnPipes {
  const pipes = makePipes(['in', 'out', 'err'])
  const [input, output, errors] = pipes as [Pipe, Pipe, Pipe]
  try {
    const child = spawn(file, args, {
      env: { ...options.env },
      cwd: options.cwd,
      detached: true,
      stdio: [input.read, output.write, errors.write],
    })
    for (const fd of [input.read, output.write, errors.write]) closeSync(fd)
    return {
      child,
      stdin: new Socket({ fd: input.write, readable: false, writable: true }),
      stdout: new Socket({ fd: output.read, readable: true, writable: false }),
      stderr: new Socket({ fd: errors.read, readable: true, writable: false }),
    }
  } catch (thrown) {
    for (const { read, write } of pipes) {
      closeSync(read)
      closeSync(write)
    }
    throw thrown
  }
}

interface Pipe {
  readonly read: number
  readonly write: number
}

/** Node can’t ask for a pipe, but it can open a named one at both ends and take the name away. */
function makePipes(names: readonly string[]): Pipe[] {
  const folder = makePipesFolder()
  const opened: number[] = []
  const pipes: Pipe[] = []
  try {
    const made = spawnSync('mkfifo', ['-m', '600', ...names.map((name) => join(folder, name))], {
      env: { PATH: '/usr/bin:/bin' },
    })
    if (made.status !== 0)
      throw new Error(
        `no pipes could be made in ${folder}: ${made.error?.message ?? made.stderr.toString().trim()}`,
      )
    for (const name of names) {
      const path = join(folder, name)
      // Opened for both, no end waits for the other. Our own ends don’t block, the program’s do.
      const both = openSync(path, constants.O_RDWR)
      try {
        const ours = name === 'in' ? constants.O_WRONLY : constants.O_RDONLY
        const read = openSync(
          path,
          ours === constants.O_RDONLY
            ? constants.O_RDONLY | constants.O_NONBLOCK
            : constants.O_RDONLY,
        )
        opened.push(read)
        const write = openSync(
          path,
          ours === constants.O_WRONLY
            ? constants.O_WRONLY | constants.O_NONBLOCK
            : constants.O_WRONLY,
        )
        opened.push(write)
        pipes.push({ read, write })
      } finally {
        closeSync(both)
      }
    }
    return pipes
  } catch (thrown) {
    for (const fd of opened) closeSync(fd)
    throw thrown
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
