import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkTemplates, sampleOfEvent } from '../../../../src/delivery/render/check-templates.ts'
import { ALL_EVENTS } from '../../../../src/events/all.ts'

const SHIPPED = join(import.meta.dirname, '..', '..', '..', '..', 'templates')

function own(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'templates-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

describe('the user’s own templates', () => {
  it('are in order where they are the shipped ones, and where there are none', async () => {
    expect(await checkTemplates(SHIPPED, SHIPPED)).toEqual([])
    expect(await checkTemplates(join(SHIPPED, 'nothing'), SHIPPED)).toEqual([])
  })

  it.each([
    ['a tag that is not closed', 'note', '{% if name %}\n{{ name }}', 1, /tag .*not closed/],
    ['an output that is not closed', 'note', 'a\nb {{ name', 2, /not closed/],
    ['an unknown tag', 'note', 'a\n\n{% fi %}', 3, /"fi" not found/],
    ['an unknown filter', 'note', '{{ name | upercase }}', 1, /undefined filter: upercase/],
    [
      'an unknown filter in a branch that is not taken',
      'note',
      '{% if false %}\n{{ name | upercase }}{% endif %}',
      2,
      /undefined filter: upercase/,
    ],
    [
      'an unknown variable',
      'note',
      'x\n{{ naem }}',
      2,
      /no naem; known here: name, message, urgency, agent/,
    ],
    [
      'an unknown variable in a branch that is not taken',
      'pr.review',
      '{% if state == "?" %}{{ boby }}{% endif %}',
      1,
      /no boby/,
    ],
    [
      'an unknown variable in a condition',
      'ci.failed',
      '{% unless jbos %}x{% endunless %}',
      1,
      /no jbos/,
    ],
    [
      'an unknown field of a known variable',
      'note',
      '{{ agent.nam }}',
      1,
      /no agent\.nam; known here: id, name/,
    ],
    [
      'an unknown field of a loop’s variable',
      'pr.review',
      '{% for c in comments %}\n{{ c.line }} {{ c.text }}{% endfor %}',
      2,
      /undefined variable: c\.text/,
    ],
    ['a field of another event', 'agent.idle', '{{ summary }}', 1, /no summary/],
    ['another file', 'note', '{% render "message" %}', null, /message/],
    ['more than the limit', 'note', 'x'.repeat(200_001), null, /limit/],
    [
      'an unknown variable of a prompt',
      'prompts/worker',
      '{{ task }}\n{{ prompt }}',
      2,
      /no prompt; known here: task, name/,
    ],
    ['a prompt without anything', 'prompts/worker', ' \n', null, /without its task/],
    [
      'a name that stands for nothing',
      'pr.redy',
      'x',
      null,
      /nothing is sent under this name; .*pr\.ready/,
    ],
    [
      'an event that nobody is notified of',
      'agent.tool',
      'x',
      null,
      /nothing is sent under this name; .*agent\.idle/,
    ],
  ])('%s is a finding, with its line', async (_what, name, text, line, problem) => {
    const findings = await checkTemplates(own({ [`${name}.liquid`]: text }), SHIPPED)
    expect(findings).toEqual([
      { key: `templates/${name}.liquid`, line, problem: expect.stringMatching(problem) },
    ])
  })

  it.each([
    ['silence', 'note', ''],
    ['silence by a comment', 'note', '{% comment %}nobody needs this{% endcomment %}'],
    ['a part of a prompt that says nothing', 'prompts/guidance', ''],
    [
      'all there is of an event',
      'agent.failed',
      '{{ name }} {{ exit_code }} {{ signal }} {{ reason | truncate: 20 }} {{ last_lines | size }} {{ parent.name }} {{ actor_name }}',
    ],
    [
      'own variables',
      'pr.review',
      '{% assign n = comments.size %}{% capture all %}{{ n }}{% endcapture %}{{ all }}{% for c in comments %}{{ forloop.index }}{{ c.body }}{% endfor %}',
    ],
    [
      'what is only there sometimes',
      'landing.red',
      '{% if partner %}#{{ partner.number }}{% endif %}{{ log_url }}',
    ],
  ])('%s is none', async (_what, name, text) => {
    expect(
      await checkTemplates(own({ [`${name}.liquid`]: text, 'README.md': 'no template' }), SHIPPED),
    ).toEqual([])
  })
})

describe('a payload made of its schema', () => {
  it.each(ALL_EVENTS)('is one that $type takes', ({ type, payload }) => {
    expect(payload.safeParse(sampleOfEvent(type, 'words')).error).toBeUndefined()
  })
})
