import type { FileDiff } from '../../../../src/surfaces/text/diff/file-diffs.ts'

export interface Folder {
  /** Several in one, where a folder has nothing but another. */
  readonly name: string
  readonly folders: readonly Folder[]
  readonly files: readonly FileDiff[]
}

/** Files by their folders, as they follow one another in the diff. */
export function folderOf(files: readonly FileDiff[], name = '', depth = 0): Folder {
  const own: FileDiff[] = []
  const inner = new Map<string, FileDiff[]>()
  for (const file of files) {
    const parts = file.path.split('/')
    const folder = parts[depth]
    if (folder === undefined || parts.length - 1 <= depth) own.push(file)
    else inner.set(folder, [...(inner.get(folder) ?? []), file])
  }
  const folders = [...inner].map(([part, within]) => joined(folderOf(within, part, depth + 1)))
  return { name, folders, files: own }
}

function joined(folder: Folder): Folder {
  const [only, ...more] = folder.folders
  return only === undefined || more.length > 0 || folder.files.length > 0
    ? folder
    : { ...only, name: `${folder.name}/${only.name}` }
}
