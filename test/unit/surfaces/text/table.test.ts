import { expect, it } from 'vitest'
import { createPalette } from '../../../../src/surfaces/text/palette.ts'
import { renderTable } from '../../../../src/surfaces/text/table.ts'

const palette = createPalette(false)
const columns = [{ title: 'NAME', min: 6 }, { title: 'STATUS' }, { title: 'ID', isWhole: true }]
const rows = [['how-many-files', 'completed', '01a2042a-4359-7586-b127-941d83c9e393']]

it('leaves a column out that is of no use when cut, before it cuts others', () => {
  expect(renderTable(columns, rows, { width: 80, palette })).toEqual([
    'NAME            STATUS     ID',
    'how-many-files  completed  01a2042a-4359-7586-b127-941d83c9e393',
  ])
  expect(renderTable(columns, rows, { width: 40, palette })).toEqual([
    'NAME            STATUS',
    'how-many-files  completed',
  ])
  expect(renderTable(columns, rows, { width: 20, palette })).toEqual([
    'NAME       STATUS',
    'how-…      completed',
  ])
})
