import { describe, expect, it } from 'vitest'
import {
  completionWords,
  parseCompletion,
} from '../../../../src/domain/formats/completion-message.ts'
import { wordsOf } from '../../../../src/core/mail/wait-words.ts'
import type { AgentId } from '../../../../src/domain/ids.ts'

describe('a completion message', () => {
  const done = '{"status":"idle","success":true,"summary":"Found 3 files\\nand read them"}'
  const failed = '{"status":"idle","success":false,"error":"No disk","partial":"1 file"}'

  it('has state, outcome and result', () => {
    expect(parseCompletion(done)).toEqual({
      success: true,
      summary: 'Found 3 files\nand read them',
    })
    expect(parseCompletion(failed)).toEqual({ success: false, error: 'No disk', partial: '1 file' })
    expect(parseCompletion(' {"status":"idle","success":false,"error":"No disk"}')).toEqual({
      success: false,
      error: 'No disk',
    })
  })

  it.each([
    'hello',
    '{',
    'null',
    '{}',
    '[]',
    '{"status":"idle","success":true}',
    '{"status":"busy","success":true,"summary":""}',
    '{"status":"idle","success":false,"error":1}',
  ])('is not %s', (message) => {
    expect(parseCompletion(message)).toBeUndefined()
    expect(completionWords(message)).toBe(message)
  })

  it('is shown to people in words', () => {
    expect(completionWords(done)).toBe('done: Found 3 files\nand read them')
    expect(completionWords(failed)).toBe('gave up: No disk\nso far: 1 file')
    expect(completionWords('{"status":"idle","success":true,"summary":""}')).toBe('done')
  })

  it('is kept of a person’s wait in words', () => {
    expect(
      wordsOf(
        {
          results: [
            { agent_id: 'id-1' as AgentId, name: 'reader', status: 'received', message: done },
          ],
        },
        30,
      ),
    ).toBe('reader: received: done: Found 3 files\n  and read them')
    expect(wordsOf({ from: 'id-1' as AgentId, name: 'reader', message: failed }, 30)).toBe(
      'reader: gave up: No disk\n  so far: 1 file',
    )
  })
})
