import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkflowFile } from './workflows.ts'

const FOLDER = '.github/workflows'

/** The workflows of a checkout, by name; none where there are none or they can’t be read. */
export async function readWorkflows(worktree: string): Promise<WorkflowFile[]> {
  const names = await readdir(join(worktree, FOLDER)).catch(() => [])
  const files = await Promise.all(
    names
      .filter((name) => /\.ya?ml$/.test(name))
      .sort()
      .map(async (name) => ({
        path: `${FOLDER}/${name}`,
        text: await readFile(join(worktree, FOLDER, name), 'utf8').catch(() => null),
      })),
  )
  return files.flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]))
}
