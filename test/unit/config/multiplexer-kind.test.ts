import { describe, expect, it } from 'vitest'
import { withMultiplexerKind } from '../../../src/config/multiplexer-kind.ts'
import { initialConfig } from '../../../src/surfaces/cli/init/config.ts'

describe('[multiplexer] kind in a configuration', () => {
  it('is changed where it stands, with what is written beside it left alone', () => {
    expect(
      withMultiplexerKind(
        "[multiplexer] # where\nrows = 40\n  kind = 'tmux' # as at work\n\n[merge]\n",
        'zellij',
      ),
    ).toBe('[multiplexer] # where\nrows = 40\n  kind = "zellij" # as at work\n\n[merge]\n')
    expect(withMultiplexerKind('multiplexer.kind = "zellij"\n[merge]\n', 'tmux')).toBe(
      'multiplexer.kind = "tmux"\n[merge]\n',
    )
    expect(withMultiplexerKind('[multiplexer]\r\nkind = "tmux"\r\n', 'zellij')).toBe(
      '[multiplexer]\r\nkind = "zellij"\r\n',
    )
  })

  it('is put into its table, in the place that init left for it, or at the end', () => {
    expect(withMultiplexerKind('[multiplexer]\nrows = 40\n', 'zellij')).toBe(
      '[multiplexer]\nkind = "zellij"\nrows = 40\n',
    )
    const initial = initialConfig('claude')
    expect(withMultiplexerKind(initial, 'zellij')).toBe(
      initialConfig('claude', { kind: 'local' }, 'zellij'),
    )
    expect(withMultiplexerKind('[merge]\nagents_may_force = true', 'zellij')).toBe(
      '[merge]\nagents_may_force = true\n\n[multiplexer]\nkind = "zellij"\n',
    )
    expect(withMultiplexerKind('', 'zellij')).toBe('[multiplexer]\nkind = "zellij"\n')
    // Uncommented there, it would take the key after it away from [merge].
    const between = '[merge]\n# [multiplexer]\n# kind = "zellij"\nagents_may_force = true\n'
    expect(withMultiplexerKind(between, 'zellij')).toBe(
      `${between}\n[multiplexer]\nkind = "zellij"\n`,
    )
  })

  it('is not taken for what stands in a string, and left to its author where it is written unusually', () => {
    const task =
      '[agents.mine]\nadapter = "command"\ncommand = ["""\n[multiplexer]\nkind = "tmux"\n"""]\n'
    expect(withMultiplexerKind(task, 'zellij')).toBe(`${task}\n[multiplexer]\nkind = "zellij"\n`)
    expect(withMultiplexerKind('multiplexer = { kind = "tmux" }\n', 'zellij')).toBeNull()
    expect(withMultiplexerKind('[multiplexer\n', 'zellij')).toBeNull()
  })
})
