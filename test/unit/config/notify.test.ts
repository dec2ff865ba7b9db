import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/config/load.ts'

const parse = (text: string) => parseConfig(text, 'config.toml').notify

describe('[notify]', () => {
  it('has targets with nothing but their kind', () => {
    expect(parse('[notify.targets.desk]\nkind = "desktop"').targets).toEqual({
      desk: { kind: 'desktop', after: 0 },
    })
  })

  it.each([
    ['quiet = "22-7"', 'notify.quiet: found "22-7"; hours look like "22:00-07:00"'],
    ['quiet = "off"', 'notify.quiet: found "off"'],
    ['targets.x = { kind = "desktop", quiet = "8:00-9:00" }', 'x.quiet: found "8:00-9:00"'],
    ['targets.x = { kind = "desktop", after = -1 }', 'x.after: found -1'],
    ['targets.x = { kind = "pager" }', '"desktop", "webhook", "command", "terminal"'],
    ['targets.x = { kind = "command" }', 'kind "command" needs a command'],
    ['targets.x = { kind = "desktop", command = ["say"] }', 'it is for kind "command"'],
    ['targets.x = { kind = "command", command = ["a"], preset = "slack" }', 'for kind "webhook"'],
    ['targets.x = { kind = "webhook" }', 'needs one of url_file and url_env'],
    ['targets.x = { kind = "webhook", url_file = "a", url_env = "B" }', 'needs only one of'],
    ['targets.x = { kind = "webhook", url = "https://h.example/s" }', 'targets.x.url: unknown key'],
    ['targets."a b" = { kind = "desktop" }', 'made of letters'],
  ])('refuses %s', (line, words) => {
    expect(() => parse(`[notify]\n${line}`)).toThrow(words)
  })

  it('lets a target have hours of its own, or none', () => {
    const { quiet, targets } = parse(
      '[notify]\nquiet = "22:00-07:00"\n[notify.targets.x]\nkind = "desktop"\nquiet = "off"',
    )
    expect([quiet, targets['x']?.quiet]).toEqual(['22:00-07:00', 'off'])
  })
})
