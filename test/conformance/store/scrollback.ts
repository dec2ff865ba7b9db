import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { ScrollbackEntry, ScrollbackKind } from '../../../src/domain/records.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import type { OpenedStore } from './suite.ts'

export function scrollbackVerbs(store: () => Store, open: () => Promise<OpenedStore>): void {
  const entry = (
    text: string,
    given: Partial<ScrollbackEntry> = {},
  ): Omit<ScrollbackEntry, 'seq'> => ({
    agentId: newAgentId(),
    kind: 'capture',
    text,
    at: 1000,
    line: 7,
    ...given,
  })

  describe('scrollback', () => {
    it('returns what was written beside each terminal, in order and as it was, also after a restart', async () => {
      const own = await open()
      const [agentId, other] = [newAgentId(), newAgentId()]
      const kinds: ScrollbackKind[] = [
        'capture-begin',
        'capture',
        'capture',
        'capture-fork',
        'wait',
        'capture-cancel',
      ]
      const written: ScrollbackEntry[] = []
      for (const [index, kind] of kinds.entries()) {
        // The clock of the machine may be set back meanwhile.
        written.push(
          await own.store.scrollback.append(
            entry(`${index}: tabs\t, "quotes", \u001b[31m, 語 and 👩‍👩‍👧`, {
              agentId,
              kind,
              at: 1000 - index,
              line: index,
            }),
          ),
        )
        await own.store.scrollback.append(entry('elsewhere', { agentId: other }))
      }
      expect(written.map(({ kind }) => kind)).toEqual(kinds)
      expect(
        written.every(
          ({ seq }, index) => index === 0 || seq > (written[index - 1]?.seq ?? Infinity),
        ),
      ).toBe(true)
      expect(await own.store.scrollback.list(agentId)).toEqual(written)
      await own.reopen()
      expect(await own.store.scrollback.list(agentId)).toEqual(written)
      expect(await own.store.scrollback.list(other)).toHaveLength(kinds.length)
      expect(await own.store.scrollback.list(newAgentId())).toEqual([])
      await own.dispose()
    })

    it('keeps empty lines and long ones, each as one entry', async () => {
      const agentId = newAgentId()
      const texts = ['', 'x'.repeat(50_000), ' ']
      for (const text of texts) await store().scrollback.append(entry(text, { agentId }))
      expect((await store().scrollback.list(agentId)).map(({ text }) => text)).toEqual(texts)
    })

    it('keeps nothing of a transaction that failed', async () => {
      const agentId = newAgentId()
      const failing = store().transaction(async (tx) => {
        await tx.scrollback.append(entry('lost', { agentId }))
        expect(await tx.scrollback.list(agentId)).toHaveLength(1)
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await store().scrollback.list(agentId)).toEqual([])
    })
  })
}
