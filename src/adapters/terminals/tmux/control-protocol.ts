/**
 * What one command printed. `flags` is 1 for commands of this client, 0 for those that hooks ran.
 */
export interface Block {
  readonly ok: boolean
  readonly flags: string
  readonly lines: readonly string[]
}

export type ControlEvent = { kind: 'block'; block: Block } | { kind: 'notification'; line: string }

/**
 * Splits what a control-mode client prints into blocks and notifications (tmux(1), CONTROL MODE).
 * Feed it text as it arrives. A block ends only where `%end` or `%error` repeats the numbers of its
 * `%begin`: pane names and contents inside it can't end it by accident.
 */
export function createControlParser(): (chunk: string) => ControlEvent[] {
  let rest = ''
  let open: { guard: string; lines: string[] } | undefined

  const take = (line: string): ControlEvent | undefined => {
    if (open === undefined) {
      if (line.startsWith('%begin ')) {
        open = { guard: line.slice('%begin '.length), lines: [] }
        return undefined
      }
      return line.startsWith('%') ? { kind: 'notification', line } : undefined
    }
    const ok = line === `%end ${open.guard}`
    if (!ok && line !== `%error ${open.guard}`) {
      open.lines.push(line)
      return undefined
    }
    const block: Block = { ok, flags: open.guard.split(' ')[2] ?? '', lines: open.lines }
    open = undefined
    return { kind: 'block', block }
  }

  return (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    return lines.map(take).filter((event) => event !== undefined)
  }
}
