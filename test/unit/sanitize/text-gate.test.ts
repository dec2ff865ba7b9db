import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { guardForge } from '../../../src/adapters/forge/guarded.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { runTool } from '../../../src/surfaces/run-tool.ts'
import { removeControls, showControls } from '../../../src/sanitize/controls.ts'
import { redact } from '../../../src/sanitize/secrets.ts'
import { createTextGate } from '../../../src/sanitize/text-gate.ts'
import { defineTool } from '../../../src/tools/define.ts'

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const OWN = '0123456789abcdef'.repeat(4)
const gate = createTextGate({
  values: () => ['the-forge-token'],
  hasHash: (hash) => hash === hashOf(OWN),
  entropy: () => false,
})

const mixed = (length: number): string => 'a1B2c3D4e5F6g7H8i9J0kL'.repeat(8).slice(0, length)
const hex = (length: number): string => '0a1b2c3d4e5f6789'.repeat(8).slice(0, length)
/** Prefix and rest apart, so that no scanner takes this file for a leak. */
const TOKENS: readonly (readonly [string, string])[] = [
  ['ghp_', mixed(36)],
  ['github_pat_', mixed(40)],
  ['glpat-', mixed(20)],
  ['glrt-', mixed(20)],
  ['ATBB', mixed(32)],
  ['sk-ant-api03-', mixed(60)],
  ['sk-proj-', mixed(48)],
  ['gsk_', mixed(52)],
  ['hf_', mixed(34)],
  ['AKIA', 'ABCDEFGH01234567'],
  ['AIza', mixed(35)],
  ['ya29.', mixed(40)],
  ['GOCSPX-', mixed(28)],
  ['dop_v1_', hex(64)],
  ['abc8Q~', mixed(34)],
  ['hvs.', mixed(90)],
  ['dapi', hex(32)],
  ['npm_', mixed(36)],
  ['pypi-', mixed(100)],
  ['rubygems_', hex(48)],
  ['dckr_pat_', mixed(27)],
  ['xoxb-', '1234567890-' + mixed(24)],
  ['hooks.slack.com/services/', 'T00000000/B00000000/' + mixed(24)],
  ['sk_live_', mixed(24)],
  ['whsec_', mixed(32)],
  ['SG.', `${mixed(22)}.${mixed(43)}`],
  ['shpat_', hex(32)],
  ['12345678:', `AA${mixed(33)}`],
  ['lin_api_', mixed(40)],
  ['ntn_', mixed(46)],
  ['glsa_', mixed(41)],
  ['sntrys_', mixed(60)],
  ['xkeysib-', `${hex(64)}-${mixed(16)}`],
  ['lsv2_pt_', `${hex(32)}_${hex(10)}`],
  ['pcsk_', mixed(60)],
  ['figd_', mixed(40)],
  [`pat${mixed(14)}.`, hex(64)],
  ['secret_', mixed(43)],
  ['dt0c01.', `${mixed(24).toUpperCase()}.${mixed(64).toUpperCase()}`],
  ['squ_', hex(40)],
  ['sqp_', hex(40)],
  ['sgp_', `${hex(16)}_${hex(40)}`],
  ['EAAC', mixed(80)],
  ['HRKU-', `AA${mixed(58)}`],
  ['nfp_', mixed(36)],
  ['phx_', mixed(43)],
  ['phc_', mixed(43)],
  ['sk_', hex(48)],
  ['sk-', mixed(48)],
  ['sk-', hex(32)],
  ['sk-or-v1-', hex(64)],
  ['GR1348941', mixed(20)],
  ['1//0', mixed(60)],
  ['LTAI', mixed(20)],
  ['pnu_', mixed(36)],
  [hex(32), '-us12'],
  ['v1.0-', `${hex(24)}-${hex(146)}`],
  ['discord.com/api/webhooks/', `123456789012345678/${mixed(68)}`],
  ['example.webhook.office.com/webhookb2/', `${hex(32)}@${hex(32)}/IncomingWebhook/${hex(32)}`],
  ['glc_', mixed(60)],
  ['eyJ', `${mixed(20)}.eyJ${mixed(20)}.${mixed(30)}`],
]

describe('secrets', () => {
  it.each(TOKENS)('%s… is one, wherever it stands', (prefix, rest) => {
    const token = prefix + rest
    for (const text of [
      token,
      `use ${token}, please`,
      `"${token}"`,
      `(${token})`,
      `https://x:${token}@example.org/`,
      `a\n${token}\nb`,
    ]) {
      expect(redact(text)).toContain('[redacted]')
      expect(redact(text)).not.toContain(rest)
    }
  })

  it.each([
    ['AWS_SECRET_ACCESS_KEY=', '', mixed(40)],
    ['"SecretAccessKey": "', '"', mixed(40)],
    ['AccountKey=', ';EndpointSuffix=core.windows.net', `${mixed(86)}==`],
    [
      'https://a.blob.core.windows.net/c?sv=2024-01-01&sig=',
      '&se=1',
      `${mixed(20)}%2B${mixed(20)}%3D`,
    ],
    ["SECRET_KEY='", "'", 'x^3!k(8&v$w@q_zr#1-t+n'],
    ['private_key: ', '', mixed(64)],
    ['access_key=', '', mixed(40)],
    ['signing-key: "', '"', mixed(20)],
    ['Authorization: Basic ', '', Buffer.from('me:pass').toString('base64')],
    [
      '{"auths":{"https://index.docker.io/v1/":{"auth": "',
      '"}}}',
      Buffer.from('me:secret').toString('base64'),
    ],
    ['{\\"password\\": \\"', '\\"}', mixed(24)],
    ['Authorization: Bearer ', '', mixed(24)],
    ['cookie token%3D', '; path=', mixed(40)],
  ])('%s… is one by what stands in front of it', (front, behind, value) => {
    expect(redact(`a ${front}${value}${behind} b`)).toBe(`a ${front}[redacted]${behind} b`)
  })

  it.each(['%3D', '\\n', '%22', 'x=', ' '])('is found behind “%s”', (front) => {
    for (const [prefix, rest] of TOKENS)
      expect(redact(front + prefix + rest), prefix).not.toContain(rest)
    for (const own of [OWN, OWN.toUpperCase()])
      expect(gate.text(front + own)).toBe(`${front}[redacted]`)
  })

  it('is an agent’s token wherever it stands in hex, and between others', () => {
    const cut = (before: number, after: number): string =>
      gate.text(`a${hex(before)}${OWN}${hex(after)}`)
    for (const [before, after] of [
      [0, 1],
      [1, 0],
      [63, 0],
      [64, 64],
      [7, 500],
    ] as const)
      expect(cut(before, after)).toBe(`a${hex(before)}[redacted]${hex(after)}`)
    expect(gate.text(OWN + OWN)).toBe('[redacted][redacted]')
    // Beyond what is tried of one run, its end still is.
    expect(gate.text('0'.repeat(50_000) + OWN)).toBe(`${'0'.repeat(50_000)}[redacted]`)
  })

  it('is the password of an address, and not its user or host', () => {
    expect(redact('git clone https://me:hunter22@example.org/x.git')).toBe(
      'git clone https://me:[redacted]@example.org/x.git',
    )
    expect(redact('http://localhost:8080/a@b and ssh://git@host:22/x')).toBe(
      'http://localhost:8080/a@b and ssh://git@host:22/x',
    )
  })

  it('is an agent’s token by its hash alone, and no other sum of that length', () => {
    expect(gate.text(`token ${OWN}.`)).toBe('token [redacted].')
    expect(gate.text(hashOf(OWN))).toBe(hashOf(OWN))
    expect(gate.text('it is the-forge-token')).toBe('it is [redacted]')
  })

  it('is nothing that code and prose are full of', () => {
    const harmless = [
      'const token = readTokenFromFile(path)',
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'main.auth 4b825dc642cb6eb9a060e54bf8d69288fbee4904',
      '/home/me/project/src/adapters/store/sqlite/open.ts:42:13',
      'token:\n01a20c24-11ac-75e1-b6ec-c02c61a32c3e',
      'npm_config_cache, sk-learn, ghp_short, key-value',
      'sk-cube-grid-container and sk-folding-cube-2 of spinkit',
      'feature/sk-refactor-login-page, sk-refactor-oauth2-login-for-issue-1234567',
      'pypi-publish-on-release-of-version-2-and-later, github_pat_rotation_script_v2_final',
      'glc_some_long_identifier_with_number_2_in_it_at_the_end',
      'secret_manager_client_version_2_of_them_all',
      'git clone https://user:${PASSWORD}@example.org/x https://user:$PASSWORD@example.org https://user:{{password}}@example.org',
      'token: ${{ secrets.GITHUB_TOKEN_2 }} password="${DB_PASSWORD_OF_STAGE_2}" secret: "{{vault.secret_number_2}}"',
      `cache-token: ${hex(40)}`,
      'Authorization: Basic authentication is needed, "auth": "required", "auth": "basicauth"',
      '"token": "https://example.org/v2/oauth/token", token = this.#readTokenOf("agent-number-2")',
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
    ]
    for (const text of harmless) expect(redact(text)).toBe(text)
  })

  it('is with `entropy` also what looks random, and still no name, path, commit or id', () => {
    const strict = createTextGate({ values: () => [], hasHash: () => false, entropy: () => true })
    // Of no known shape, so that only its form can show it.
    const random = 'q7Zt0Kx2Vb9Lm4Rw8Jc1Hf6Yd3Ns5Pg+GaUeQo'
    expect(gate.text(`key ${random} end`)).toBe(`key ${random} end`)
    expect(strict.text(`key ${random} end`)).toBe('key [redacted] end')
    const ordinary = [
      'src/adapters/forge/github/client/createSecrets2.ts',
      'AbstractSingletonProxyFactoryBeanTest2',
      'createBase64EncodedStringFromUrlSafeBytes',
      '01a20c98-47e9-74ce-b67e-6aab98f83d79',
      'd183e93fa0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5',
      'ThisIsTheThirdLineOfTheTestNumber3OfAll',
    ].join('\n')
    expect(strict.text(ordinary)).toBe(ordinary)
  })

  // What made a pattern begin anew at each of these would not end within any limit of a test.
  it.each(['M-', 'token=', 'eyJ-', 'https://a:b', '-----BEGIN ', '0a', 'SG.a-'])(
    'is looked for in a megabyte of “%s”',
    (part) => {
      const text = part.repeat(1_000_000 / part.length)
      expect(gate.text(text)).toBe(text)
    },
  )

  it('is found behind what was to hide it', () => {
    const [prefix, rest] = TOKENS[0]!
    expect(gate.text(`gh\u200bp_\u001b[31m${rest}`)).toBe('[redacted]')
    expect(prefix).toBe('ghp_')
  })
})

describe('control characters', () => {
  it('go, and lines and tabs stay', () => {
    expect(removeControls('a\tb\r\nc\rd\u2028e\u0000\u0007')).toBe('a\tb\nc\nd\ne')
    expect(removeControls('\u001b]52;c;aGk=\u0007x\u001b[2Jy\u009b31mz\u202etxt')).toBe('xyztxt')
    expect(removeControls('👩‍👩‍👧 é 漢字')).toBe('👩‍👩‍👧 é 漢字')
    expect(removeControls('\ud800x')).toBe('\ufffdx')
  })

  it('are shown where code is reviewed', () => {
    expect(showControls('+if (admin\u202e) {\u0000\n+\ttab\r\n+\u001b[2J\ra')).toBe(
      '+if (admin<U+202E>) {<U+0000>\n+\ttab\r\n+<U+001B>[2J<U+000D>a',
    )
  })
})

describe('the gate', () => {
  it('cleans every text of plain data, keys too, and hands back what was clean as it was', () => {
    const clean = { a: [1, null, true, 'x'], b: { c: 'y' } }
    expect(gate.data(clean)).toBe(clean)
    expect(gate.data({ 'k\u0000': ['\u001b[1mx', { d: OWN }], n: 1 })).toEqual({
      k: ['x', { d: '[redacted]' }],
      n: 1,
    })
    expect(gate.data({ command: `x ${OWN}\u0007`, task: '\u0007t' }, ['command'])).toEqual({
      command: `x ${OWN}\u0007`,
      task: 't',
    })
  })

  it('keeps what stood under keys that come out alike', () => {
    const [one, other] = [`ghp_${mixed(36)}`, `ghp_${hex(36)}`]
    const kept = gate.data({ [one]: 1, [other]: 2, a: 3, 'a\u0000': 4, '[redacted]': 5 })
    expect(kept).toEqual({ '[redacted] 2': 1, '[redacted] 3': 2, a: 3, 'a 2': 4, '[redacted]': 5 })
    expect(gate.data(kept)).toBe(kept)
  })

  it('changes nothing the second time, whatever stands next to a token', () => {
    const parts = fc.constantFrom(
      ...TOKENS.map((token) => token.join('')),
      ...[
        'token=',
        'password: "',
        'https://a:',
        '@b',
        '"',
        '%3D',
        'sig=',
        '"auth": "',
        'Authorization: Basic ',
        '-',
        'a1',
        'A',
        ' ',
        '&',
        OWN,
        '[redacted]',
      ],
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (all) => {
        const cleaned = gate.text(all.join(''))
        expect(gate.text(cleaned)).toBe(cleaned)
      }),
    )
  })

  it('refuses what is nested without end', () => {
    const nested = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
    expect(() => gate.data(nested)).toThrow(/nested deeper than 100/)
  })

  it('leaves nothing that a terminal obeys, whatever comes, and changes nothing the second time', () => {
    const parts = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '\u009b',
      '\u0007',
      '\\',
      'm',
      '1',
      ';',
      '\r',
      '\n',
      '\u202e',
      '\u200b',
      'a',
      '\ud83d',
      '\udc69',
      ...TOKENS.slice(0, 4).map((token) => token.join('')),
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (all) => {
        const cleaned = gate.text(all.join(''))
        // oxlint-disable-next-line no-control-regex -- that none is left is what this shows
        expect(cleaned).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]/)
        expect(gate.text(cleaned)).toBe(cleaned)
      }),
    )
  })
})

describe('what has the gate in front', () => {
  const hostile = `lint\u200b\u001b[31m ${OWN}`

  it('finds the log of a check by the name that is shown', async () => {
    const asked: string[] = []
    const forge = guardForge(
      {
        snapshots: async () => [
          {
            snapshot: {
              head: {},
              base: {},
              conflictFiles: [],
              checks: [{ name: hostile }, { name: 'test' }],
            },
          },
        ],
        checkLog: async (_: number, name: string) => (asked.push(name), `log \u0007${OWN}`),
      } as never,
      gate,
    )
    for (const name of ['lint [redacted]', 'test', 'none', hostile])
      expect(await forge.checkLog(1, name)).toBe('log [redacted]')
    expect(asked).toEqual([hostile, 'test', 'none', hostile])
  })

  it('says of a tool’s fault that nobody foresaw nothing that must not be shown', async () => {
    const thrown = [
      new Error(hostile),
      hostile,
      Object.assign(new Error(hostile), { code: 'ENOSPC' }),
      new ExomonadError('GIT_FAILED', hostile, { hostile }),
    ]
    for (const fault of thrown) {
      const tool = defineTool({
        name: 'fails',
        description: '',
        audience: ['human'],
        listed: true,
        input: z.object({}),
        output: z.object({}),
        handler: () => Promise.reject(fault),
      })
      const call = {
        core: {},
        caller: { kind: 'human', agent: { kind: 'root', role: 'human' } },
        signal: AbortSignal.abort(),
        roleTools: () => undefined,
        gate,
        log: {},
      }
      const error = await runTool(tool, call as never, {}).catch(
        (refusal: ExomonadError) => refusal,
      )
      expect(JSON.stringify(error)).toContain('lint [redacted]')
      expect(JSON.stringify(error)).not.toMatch(/\\u001b|\u200b|0123456789abcdef/)
    }
  })
})
