import { constants } from 'node:fs'
import {
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { AgentId } from '../../domain/ids.ts'
import type { Paths } from '../../runtime/paths.ts'
import type { TextGate } from '../../sanitize/text-gate.ts'
import { SESSION_VARIABLES } from '../agent-cli/known.ts'
import type { PlannedFile, PlannedLink } from '../agent-cli/agent-cli.ts'
import { readRemovedNotice } from '../../domain/formats/output-notices.ts'
import { copyLink } from './copy-link.ts'
import { runLogged } from './workplace/run-setup.ts'
import { inside, refuseLinks } from './workplace/within.ts'
import { launchFile } from './launch-file.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'

/** The files an agent is started with and leaves behind. */
export interface AgentFiles {
  readonly promptFile: (id: AgentId) => string
  readonly authFile: (id: AgentId) => string
  writePrompt(id: AgentId, text: string): Promise<string>
  /**
   * The token in a 0600 file, for agent CLIs that hide variables named *TOKEN* from their shells.
   */
  writeAuth(id: AgentId, token: string): Promise<string>
  /** Writes the 0600 launch file and returns the argv that reads, deletes and becomes it. */
  writeLaunch(
    id: AgentId,
    options: { env: Readonly<Record<string, string>>; argv: readonly string[] },
  ): Promise<readonly string[]>
  /** The agent’s own folder, for what its program is given. */
  readonly folder: (id: AgentId) => string
  /**
   * Writes planned files (0600) and links. OUTSIDE_ROOT for files that lie neither in the agent’s
   * folder nor in its worktree, and links outside the folder.
   */
  writePlanned(
    id: AgentId,
    worktree: string,
    files: readonly PlannedFile[],
    links?: readonly PlannedLink[],
  ): Promise<void>
  /** How the running program is talked to; null takes it away. */
  writeChannel(id: AgentId, channel: Readonly<Record<string, string>> | null): Promise<void>
  readChannel(id: AgentId): Promise<Readonly<Record<string, string>> | null>
  /** Removes the agent’s own folder. */
  removeFolder(id: AgentId): Promise<void>
  /** Removes prompt, token and launch file, and what the running program was talked to by. */
  remove(id: AgentId): Promise<void>
  exists(path: string): Promise<boolean>
  /** Without symlinks; as it is where nothing is there. */
  realPath(path: string): Promise<string>
  /** False where there is none. */
  isEmptyFolder(path: string): Promise<boolean>
  /**
   * Copies files (relative paths) between worktrees, copy-on-write where the filesystem can; links
   * that stay inside as links. OUTSIDE_ROOT for paths or links that leave them.
   */
  copyInto(from: string, to: string, files: readonly string[]): Promise<void>
  /** What set-up commands of its worktree wrote. */
  readonly setupLog: (id: AgentId) => string
  /**
   * Runs a set-up command to its end, with these variables beside those of agents and its output
   * behind what is in the log; returns the end of that where it failed.
   */
  runSetup(
    argv: readonly string[],
    worktree: string,
    options: {
      env: Readonly<Record<string, string>>
      timeoutMs: number
      log: string
      signal?: AbortSignal
    },
  ): Promise<{ ok: true } | { ok: false; output: string }>
  saveTranscript(id: AgentId, text: string): Promise<void>
  readTranscript(id: AgentId): Promise<string | null>
  /**
   * The end of what an agent without a terminal wrote, whole lines; null where there is nothing.
   */
  readOutput(id: AgentId): Promise<string | null>
  removeOutput(id: AgentId): Promise<void>
  /** Where all of it that was kept is, or what became of it: the end of a sentence. */
  outputPlace(id: AgentId): Promise<string>
}

/** Of an output that may be long. Bytes. */
const OUTPUT_END = 200_000

/** Variables of the daemon’s own agent or multiplexer that must not reach an agent. */
const UNSET = [
  'TMUX',
  'TMUX_PANE',
  'ZELLIJ',
  'ZELLIJ_SESSION_NAME',
  'ZELLIJ_PANE_ID',
  ...SESSION_VARIABLES,
]

export function createAgentFiles(deps: {
  paths: Paths
  launcher: string
  gate: Pick<TextGate, 'text'>
}): AgentFiles {
  const { paths } = deps
  const promptFile = (id: AgentId) => join(paths.prompts, `${id}.md`)
  const authFile = (id: AgentId) => join(paths.auth, id)
  const launchPath = (id: AgentId) => join(paths.launch, `${id}.sh`)
  const folder = (id: AgentId) => join(paths.agents, id)
  const channelFile = (id: AgentId) => join(folder(id), 'channel.json')
  const output = (id: AgentId) => join(paths.outputs, `${id}.log`)
  const transcript = (id: AgentId) => join(paths.transcripts, `${id}.txt`)

  const writePrivate = async (file: string, text: string): Promise<string> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, text, { mode: 0o600 })
    return file
  }

  return {
    promptFile,
    authFile,
    writePrompt: (id, text) => writePrivate(promptFile(id), text),
    writeAuth: (id, token) => writePrivate(authFile(id), token),
    writeLaunch: async (id, options) => [
      '/bin/sh',
      deps.launcher,
      await writePrivate(launchPath(id), launchFile({ ...options, unset: UNSET })),
    ],
    folder,
    writePlanned: async (id, worktree, files, links = []) => {
      await mkdir(folder(id), { recursive: true, mode: 0o700 })
      for (const { path, content } of files) {
        const root = path.startsWith(`${folder(id)}${sep}`) ? folder(id) : worktree
        const target = inside(root, path)
        await refuseLinks(root, target, path)
        await writePrivate(target, content)
      }
      for (const { path, target } of links) {
        const link = inside(folder(id), path)
        await refuseLinks(folder(id), dirname(link), path)
        await mkdir(dirname(link), { recursive: true, mode: 0o700 })
        const found = await lstat(link).catch(() => undefined)
        if (found?.isSymbolicLink() === true) await rm(link)
        else if (found !== undefined) continue
        await symlink(target, link)
      }
    },
    writeChannel: async (id, channel) => {
      // Anew, as an agent may have put something else there; and never absent, since an agent that
      // is confined could then make one, and only reads what is there.
      await rm(channelFile(id), { recursive: true, force: true })
      await writePrivate(channelFile(id), JSON.stringify(channel))
    },
    readChannel: async (id) => {
      try {
        return parseJson(await readFile(channelFile(id), 'utf8')) as Record<string, string>
      } catch {
        return null
      }
    },
    // A hook of a program that was just ended may be writing into it.
    removeFolder: (id) =>
      rm(folder(id), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
    remove: async (id) => {
      await Promise.all(
        [promptFile(id), authFile(id), launchPath(id), channelFile(id)].map((file) =>
          rm(file, { force: true }),
        ),
      )
    },
    exists: async (path) => {
      try {
        await lstat(path)
        return true
      } catch {
        return false
      }
    },
    realPath: (path) => realpath(path).catch(() => path),
    isEmptyFolder: async (path) => (await readdir(path).catch(() => null))?.length === 0,
    copyInto: async (from, to, files) => {
      for (const file of files) {
        const source = inside(from, file)
        const target = inside(to, file)
        const isLink = (await lstat(source)).isSymbolicLink()
        await refuseLinks(to, isLink ? dirname(target) : target, file)
        await mkdir(dirname(target), { recursive: true })
        if (isLink) await copyLink({ root: from, file, target })
        else await copyFile(source, target, constants.COPYFILE_FICLONE)
      }
    },
    setupLog: (id) => join(paths.setupLogs, `${id}.log`),
    runSetup: (argv, worktree, options) => runLogged(argv, { ...options, cwd: worktree }),
    saveTranscript: async (id, text) => {
      await writePrivate(transcript(id), deps.gate.text(text))
    },
    readTranscript: async (id) => {
      try {
        await stat(transcript(id))
        return await readFile(transcript(id), 'utf8')
      } catch {
        return null
      }
    },
    removeOutput: async (id) => {
      for (const file of [output(id), `${output(id)}.part`]) await rm(file, { force: true })
    },
    readOutput: async (id) => {
      const end = await readEnd(output(id))
      return end === null || readRemovedNotice(end) !== undefined ? null : end
    },
    outputPlace: async (id) => {
      const text = await readEnd(output(id))
      return text === null
        ? 'its file is not there any more'
        : `its file ${readRemovedNotice(text) ?? `is ${output(id)}`}`
    },
  }
}

/** Whole lines of the end of a file; null where it can’t be read. */
async function readEnd(path: string): Promise<string | null> {
  const file = await open(path, 'r').catch(() => null)
  if (file === null) return null
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - OUTPUT_END)
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(size, OUTPUT_END)),
      0,
      undefined,
      from,
    )
    const text = buffer.toString('utf8', 0, bytesRead)
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    await file.close()
  }
}
