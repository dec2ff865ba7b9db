/** Keys of one view, by how its address begins. */
const VIEW_KEYS: readonly {
  readonly path: RegExp
  readonly name: string
  readonly keys: readonly (readonly [string, string])[]
}[] = [
  {
    path: /^\/inbox/,
    name: 'In the inbox',
    keys: [
      ['Enter', 'to the answer'],
      ['Ctrl+Enter', 'send it'],
      ['a', 'approve'],
      ['d', 'deny'],
      ['r', 'start an agent again'],
    ],
  },
  {
    path: /^\/pulls\/./,
    name: 'In a pull request',
    keys: [
      ['1 2 3 4', 'its parts'],
      ['n p', 'in the diff: next, previous hunk'],
      ['N P', 'next, previous file'],
      ['v', 'begin a range of lines, or end it'],
      ['c', 'comment on the line or the range'],
      ['s', 'unified or split'],
      ['x', 'fold the file'],
    ],
  },
]

export const keysOf = (path: string) => VIEW_KEYS.find((view) => view.path.test(path))
