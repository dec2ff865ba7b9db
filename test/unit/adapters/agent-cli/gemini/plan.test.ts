import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseSettings, policyOf } from '../../../../../src/adapters/agent-cli/gemini/settings.ts'
import { person } from '../gemini-person.ts'

const recorded = readFileSync(
  join(import.meta.dirname, '..', '..', '..', '..', 'fixtures', 'gemini', 'hooks.jsonl'),
  'utf8',
)
const SESSION = '86df1128-d223-419d-86a9-7bf02129fe10'
const promptOf = (argv: readonly string[]): string | undefined =>
  argv
    .find((part) => part.startsWith('--prompt-interactive='))
    ?.slice('--prompt-interactive='.length)

describe('a launch of Gemini CLI', () => {
  it('gives each agent a home of its own, and writes nowhere else', async () => {
    const { plan, folder } = person()
    const { env, files, links } = await plan()
    expect(env).toMatchObject({
      GEMINI_CLI_HOME: join(folder, 'gemini'),
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    })
    for (const { path } of [...files, ...(links ?? [])])
      expect(path.startsWith(`${folder}/`), path).toBe(true)
  })

  it('links to what else is the person’s, and leaves them their conversations', async () => {
    const { plan, home, folder } = person({
      files: {
        '.gemini/oauth_creds.json': '{}',
        '.gemini/GEMINI.md': 'Be kind.',
        '.gemini/settings.json': '{}',
        '.gemini/tmp/x/chats/a.jsonl': '',
        '.env': 'A=1',
      },
    })
    const { links } = await plan()
    expect(links).toHaveLength(3)
    for (const name of ['.gemini/oauth_creds.json', '.gemini/GEMINI.md', '.env'])
      expect(links).toContainEqual({ path: join(folder, 'gemini', name), target: join(home, name) })
  })

  it('takes the home that the person chose for Gemini CLI, not one that an agent was given', async () => {
    const files = {
      'other/.gemini/GEMINI.md': 'Be kind.',
      'x/exomonad/agents/a/gemini/.gemini/GEMINI.md': 'An agent’s.',
    }
    const { home } = person({ files })
    const linksOf = async (chosen: string) =>
      (await person({ variables: { GEMINI_API_KEY: 'k', GEMINI_CLI_HOME: chosen } }).plan()).links
    expect(await linksOf(join(home, 'other'))).toHaveLength(1)
    expect(await linksOf(join(home, 'x/exomonad/agents/a/gemini'))).toEqual([])
  })

  it('serves the tools over HTTP, or on stdio where that is all there is', async () => {
    const { plan } = person()
    expect((await plan()).settings.mcpServers.exomonad).toEqual({
      httpUrl: 'http://127.0.0.1:4100/mcp',
      headers: { Authorization: 'Bearer $EXOMONAD_TOKEN' },
      trust: true,
      timeout: 86_460_000,
    })
    const stdio = (await plan({ mcpUrl: null })).settings.mcpServers.exomonad
    expect(stdio).toMatchObject({
      command: 'exomonad',
      args: ['mcp'],
      env: { EXOMONAD_TOKEN: '$EXOMONAD_TOKEN', EXOMONAD_SOCKET: '$EXOMONAD_SOCKET' },
    })
  })

  it('has its hooks said to the daemon, beside the person’s own, whatever the path', async () => {
    const own = { hooks: [{ type: 'command', command: 'mine' }] }
    const { plan } = person({
      files: {
        '.gemini/settings.json': JSON.stringify({
          hooks: { AfterTool: [own], BeforeModel: [own] },
        }),
      },
    })
    const { settings } = await plan({ hookScript: "/it's here/program.sh" })
    expect(settings.hooks.BeforeModel).toEqual([own])
    expect(settings.hooks.AfterTool[0]).toEqual(own)
    expect(settings.hooks.AfterTool[1].hooks[0]).toMatchObject({
      type: 'command',
      command: "sh '/it'\\''s here/program.sh' AfterTool",
    })
    expect(settings.hooks.AfterAgent[0].hooks[0].timeout).toBeGreaterThan(60_000)
    expect(settings.hooks.PreCompress).toBeUndefined()
  })

  it('runs none of the person’s hooks where they turned them off', async () => {
    const { plan } = person({
      files: {
        '.gemini/settings.json': '{"hooksConfig":{"enabled":false},"hooks":{"BeforeModel":[{}]}}',
      },
    })
    const { settings } = await plan()
    expect(settings.hooksConfig.enabled).toBe(true)
    expect(settings.hooks.BeforeModel).toBeUndefined()
  })

  it('keeps the person’s settings, but for what would come between', async () => {
    const content =
      '{ // mine\n "ui": {"theme": "Ayu", "hideWindowTitle": true}, "general": {"vimMode": true}, "mcp": {"allowed": ["x"], "excluded": ["exomonad", "y"]}, "url": "http://a//b" }'
    const { plan } = person({ files: { '.gemini/settings.json': content } })
    const { settings } = await plan()
    expect(settings.ui).toMatchObject({
      theme: 'Ayu',
      hideWindowTitle: false,
      dynamicWindowTitle: true,
    })
    expect(settings.general).toMatchObject({ vimMode: false, enableAutoUpdate: false })
    expect(settings.mcp).toEqual({ allowed: ['x', 'exomonad'], excluded: ['y'] })
    expect(settings.url).toBe('http://a//b')
  })

  it.each([
    ['{}', true],
    ['{"model":{"name":"x"}}', true],
    ['{"model":{"disableLoopDetection":true}}', true],
    ['{"model":{"disableLoopDetection":false}}', false],
  ])(
    'goes on where it seems to repeat itself, unless the person wants to be asked: %s',
    async (content, goesOn) => {
      const { plan, cli, home } = person({ files: { '.gemini/settings.json': content } })
      expect((await plan()).settings.model).toEqual({
        ...JSON.parse(content).model,
        disableLoopDetection: goesOn,
      })
      const found = (await cli.diagnose(home)).filter((finding) =>
        finding.found.includes('disableLoopDetection'),
      )
      // What is a person's own here is that of the repository too.
      expect(found.map(({ status }) => status)).toEqual(goesOn ? [] : ['warning', 'problem'])
    },
  )

  it.each([
    [{ GEMINI_API_KEY: 'k' }, {}, 'gemini-api-key'],
    [{ GOOGLE_GENAI_USE_VERTEXAI: 'true', GEMINI_API_KEY: 'k' }, {}, 'vertex-ai'],
    [{ GOOGLE_GENAI_USE_GCA: 'true' }, {}, 'oauth-personal'],
    [{}, { '.gemini/.env': 'export GEMINI_API_KEY=k' }, 'gemini-api-key'],
    [
      { GEMINI_API_KEY: 'k' },
      { '.gemini/settings.json': '{"security":{"auth":{"selectedType":"oauth-personal"}}}' },
      'oauth-personal',
    ],
  ] as [Record<string, string>, Record<string, string>, string][])(
    'signs in as the person does: %j %j',
    async (variables, files, type) => {
      const { settings, warnings } = await person({ variables, files }).plan()
      expect(settings.security.auth.selectedType).toBe(type)
      expect(warnings).toEqual([])
    },
  )

  it('says so where it will ask how to sign in', async () => {
    const { settings, warnings } = await person({ variables: {} }).plan()
    expect(settings.security.auth.selectedType).toBeUndefined()
    expect(warnings).toEqual([expect.stringContaining('GEMINI_API_KEY')])
  })

  it('says what settings of the branch take away from it', async () => {
    const { plan, home } = person({
      files: {
        'branch/.gemini/settings.json':
          '{"hooksConfig":{"enabled":false},"mcp":{"allowed":["other"]}}',
      },
    })
    expect((await plan({ worktree: home })).warnings).toEqual([])
    expect((await plan({ worktree: join(home, 'branch') })).warnings).toEqual([
      expect.stringContaining('hooks'),
      expect.stringContaining('mcp.allowed'),
    ])
  })

  it('takes the model, further arguments and variables of its configuration', async () => {
    const { plan, program } = person({
      config: { model: 'gemini-2.5-pro', args: ['--debug'], env: { A: 'b' } },
    })
    const { argv, env } = await plan()
    expect(argv[0]).toBe(program)
    expect(argv).toEqual(expect.arrayContaining(['--model=gemini-2.5-pro', '--debug']))
    expect(argv.indexOf('--debug')).toBeLessThan(
      argv.findIndex((part) => part.startsWith('--prompt-interactive=')),
    )
    expect(env).toMatchObject({ A: 'b' })
  })

  it('sets for git who commits, which its shell would not know', async () => {
    const { plan } = person({
      files: { '.gitconfig': '[user]\n\tname = A Person\n\temail = a@example.invalid\n' },
    })
    expect((await plan()).env).toMatchObject({
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'user.name',
      GIT_CONFIG_VALUE_0: 'A Person',
      GIT_CONFIG_KEY_1: 'user.email',
      GIT_CONFIG_VALUE_1: 'a@example.invalid',
    })
    expect((await person().plan()).env).not.toHaveProperty('GIT_CONFIG_COUNT')
  })

  it('is AGENT_CLI_MISSING where the program is not there', async () => {
    await expect(person({ config: { command: ['no-such-gemini'] } }).plan()).rejects.toMatchObject({
      code: 'AGENT_CLI_MISSING',
    })
  })
})

describe('the task of Gemini CLI', () => {
  it('stays what it is: no option', async () => {
    const { plan } = person()
    expect(promptOf((await plan({ prompt: '--help me with a list\n- one' })).argv)).toBe(
      '--help me with a list\n- one',
    )
  })

  it('stands at the end of the conversation where it is too long for an argument', async () => {
    const { plan, folder, write } = person()
    const prompt = `begin @README.md\n${'é'.repeat(60_000)}\nend`
    const fresh = await plan({ prompt })
    expect(Math.max(...fresh.argv.map((part) => Buffer.byteLength(part)))).toBeLessThan(10_000)
    expect(fresh).toMatchObject({ session: 'fresh', sessionId: null, warnings: [] })
    expect(fresh.argv).toContain(`--session-file=${join(folder, 'inherited.jsonl')}`)
    expect(
      JSON.parse(fresh.file('inherited.jsonl')?.trim().split('\n').at(-1) ?? ''),
    ).toMatchObject({ type: 'user', content: [{ text: prompt }] })
    const forked = await plan({
      prompt,
      mode: 'fork',
      session: { id: SESSION, transcript: write('other/parent.jsonl', recorded) },
    })
    expect(forked.session).toBe('forked')
    expect(forked.file('inherited.jsonl')).toMatch(/hi-from-shell[^]*begin @README/)
  })
})

describe('the session of Gemini CLI', () => {
  it('has an id that is known before, another at each start', async () => {
    const { plan, write } = person()
    const request = { agentId: '01a20102-7c06-72ad-9717-7fc5e65d2638' as never }
    const first = await plan(request)
    expect(first).toMatchObject({
      session: 'fresh',
      sessionId: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
    })
    expect(first.argv).toContain(`--session-id=${first.sessionId}`)
    write(
      `agents/auth/gemini/.gemini/tmp/auth/chats/session-1-${first.sessionId?.slice(0, 8)}.jsonl`,
      recorded.replaceAll(SESSION, first.sessionId ?? ''),
    )
    expect((await plan(request)).sessionId).not.toBe(first.sessionId)
  })

  it('goes on with its own conversation', async () => {
    const { plan, write } = person()
    write(
      `agents/auth/gemini/.gemini/tmp/auth/chats/session-1-${SESSION.slice(0, 8)}.jsonl`,
      recorded,
    )
    const { argv, session, sessionId } = await plan({
      mode: 'resume',
      session: { id: SESSION, transcript: null },
      prompt: 'Go on.',
    })
    expect([session, sessionId]).toEqual(['resumed', SESSION])
    expect(argv).toContain(`--resume=${SESSION}`)
    expect(promptOf(argv)).toBe('Go on.')
  })

  it('inherits a copy of the parent’s, from wherever that is', async () => {
    const { plan, folder, write } = person()
    const { argv, session, sessionId, file, warnings } = await plan({
      mode: 'fork',
      session: { id: SESSION, transcript: write('other/parent.jsonl', recorded) },
    })
    expect([session, sessionId, warnings]).toEqual(['forked', null, []])
    expect(argv).toContain(`--session-file=${join(folder, 'inherited.jsonl')}`)
    expect(file('inherited.jsonl')).toContain('hi-from-shell')
  })

  it.each([
    ['unknown', null],
    ['gone', { id: SESSION, transcript: '/nowhere/parent.jsonl' }],
    ['of another program', { id: SESSION, transcript: join(import.meta.dirname, 'plan.test.ts') }],
  ])('starts fresh and says so where the parent’s is %s', async (_, session) => {
    const plan = await person().plan({ mode: 'fork', session })
    expect(plan.session).toBe('fresh')
    expect(plan.warnings).toEqual([expect.stringContaining('parent’s conversation')])
  })
})

describe('permissions of Gemini CLI', () => {
  it('are its own business unless something else was chosen', async () => {
    for (const policy of ['off', 'ask'] as const) {
      const { argv, settings } = await person().plan({
        permissions: { policy, allow: ['write_file'] },
      })
      expect(argv.join(' ')).not.toContain('approval-mode')
      expect(settings.policyPaths).toBeUndefined()
    }
  })

  it('are given by a list, beside the person’s own rules', async () => {
    const { plan, folder } = person()
    const { file, settings } = await plan({
      permissions: { policy: 'list', allow: ['write_file', 'run_shell_command(git commit)'] },
    })
    expect(settings.policyPaths).toEqual([
      join(folder, 'gemini', '.gemini', 'policies'),
      join(folder, 'allowed.toml'),
    ])
    expect(file('allowed.toml')).toContain('toolName = "write_file"\ndecision = "allow"')
    expect(file('allowed.toml')).toContain(
      'toolName = "run_shell_command"\ncommandPrefix = "git commit"\ndecision = "allow"',
    )
    expect(policyOf(['Shell(git "x":*)'])).toContain(
      'toolName = "run_shell_command"\ncommandPrefix = "git \\"x\\""',
    )
  })

  it('are all given, unless the person’s settings forbid that', async () => {
    expect((await person().plan({ permissions: { policy: 'all', allow: [] } })).argv).toContain(
      '--approval-mode=yolo',
    )
    const strict = await person({
      files: { '.gemini/settings.json': '{"security":{"disableYoloMode":true}}' },
    }).plan({
      permissions: { policy: 'all', allow: [] },
    })
    expect(strict.argv).not.toContain('--approval-mode=yolo')
    expect(strict.warnings).toEqual([expect.stringContaining('disableYoloMode')])
  })
})

describe('what is found out about Gemini CLI', () => {
  it('is fine with the tested version and a login', async () => {
    const { cli, home } = person()
    expect((await cli.diagnose(home)).map(({ status }) => status)).toEqual(['ok', 'ok'])
  })

  it('is a warning for another version, a problem for one that is too old or none', async () => {
    const of = async (program: string) => {
      const { cli, home } = person({ program })
      return (await cli.diagnose(home))[0]
    }
    expect(await of('#!/bin/sh\necho 0.62.1\n')).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('0.62.1'),
      fix: expect.stringContaining('0.61.0'),
    })
    expect(await of('#!/bin/sh\necho 0.9.0\n')).toMatchObject({ status: 'problem' })
    expect(await of('#!/bin/sh\nexit 1\n')).toMatchObject({ status: 'problem' })
  })

  it('says that agents would stand at the question how to sign in, and what the repository’s settings break', async () => {
    const { cli, home } = person({
      variables: {},
      files: { 'repository/.gemini/settings.json': '{"hooksConfig":{"disabled":["exomonad"]}}' },
    })
    const findings = await cli.diagnose(join(home, 'repository'))
    expect(findings.filter(({ status }) => status === 'problem').map(({ found }) => found)).toEqual(
      [expect.stringContaining('no login'), expect.stringContaining('turns hooks off')],
    )
  })

  it('reads settings with comments, and says where it can’t', async () => {
    expect(parseSettings('{"a": "x // y", /* b */ "c": 1}')).toEqual({ a: 'x // y', c: 1 })
    expect(parseSettings('{"a": }')).toBeNull()
    const { cli, home } = person({ files: { '.gemini/settings.json': '{"a": }' } })
    expect((await cli.diagnose(home)).map(({ found }) => found)).toContainEqual(
      expect.stringContaining('is not JSON'),
    )
  })
})
