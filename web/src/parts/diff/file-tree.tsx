import { useMemo, useState } from 'react'
import type { FileDiff } from '../../../../src/surfaces/text/diff/file-diffs.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { folderOf, type Folder } from './folders.ts'

/** The files of a diff in their folders. */
export function FileTree({
  files,
  current,
  open,
}: {
  readonly files: readonly FileDiff[]
  /** Path of the one that is looked at. */
  readonly current: string | undefined
  readonly open: (path: string) => void
}) {
  const [text, setText] = useState('')
  const root = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    return folderOf(files.filter(({ path }) => path.toLowerCase().includes(wanted)))
  }, [files, text])
  return (
    <nav className="diff-tree" aria-label="Changed files">
      <input
        type="search"
        className="field"
        placeholder="Filter files"
        aria-label="Filter files"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Entries folder={root} current={current} open={open} depth={0} />
    </nav>
  )
}

const SIGNS: Readonly<Record<FileDiff['status'], readonly [string, string]>> = {
  added: ['A', 'good'],
  deleted: ['D', 'bad'],
  modified: ['M', 'attention'],
  renamed: ['R', 'special'],
  copied: ['C', 'special'],
}

function Entries({
  folder,
  current,
  open,
  depth,
}: {
  readonly folder: Folder
  readonly current: string | undefined
  readonly open: (path: string) => void
  readonly depth: number
}) {
  const indent = { paddingInlineStart: 8 + depth * 12 }
  return (
    <ul>
      {folder.folders.map((inner) => (
        <li key={inner.name}>
          <bdi className="diff-folder ellipsis" style={indent}>
            {printableLine(inner.name)}/
          </bdi>
          <Entries folder={inner} current={current} open={open} depth={depth + 1} />
        </li>
      ))}
      {folder.files.map((file) => {
        const [sign, tone] = SIGNS[file.status]
        return (
          <li key={file.path}>
            <button
              type="button"
              style={indent}
              aria-current={file.path === current ? 'true' : undefined}
              title={printableLine(file.path)}
              onClick={() => open(file.path)}
            >
              <bdi className="ellipsis">{printableLine(file.path.split('/').at(-1) ?? '')}</bdi>
              <abbr className={`tone-${tone} mono`} title={file.status}>
                {sign}
              </abbr>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
