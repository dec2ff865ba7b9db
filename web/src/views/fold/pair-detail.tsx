import type { ToolResult } from '../../api/call.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { CHANGES } from '../../../../src/surfaces/text/radar/radar-grid.ts'

type Pair = NonNullable<ToolResult<'radar'>['pair']>
type Side = Pair['files'][number]['a']

/** What both of a pair did to each file in which they conflict. */
export function PairDetail({ pair }: { readonly pair: Pair }) {
  const [a, b] = [printableLine(pair.a), printableLine(pair.b)]
  const skipped = [
    ...pair.skipped.a.map((path) => `${a}: ${printableLine(path)}`),
    ...pair.skipped.b.map((path) => `${b}: ${printableLine(path)}`),
  ]
  return (
    <>
      <p>
        {pair.status === 'clean' && 'They merge as they are now.'}
        {pair.status === 'unknown' &&
          `Whether they merge is not known: ${printableLine(pair.why ?? '')}.`}
        {pair.status === 'conflict' && `They conflict in ${plural(pair.files.length, 'file')}.`}
      </p>
      {pair.files.map((file) => (
        <section key={file.path} className="radar-file">
          <h4>
            <code>{printableLine(file.path)}</code>
            {file.first !== null && (
              <span className="hint">
                {' '}
                first touched by <bdi>{printableLine(file.first)}</bdi>
              </span>
            )}
          </h4>
          <div className="radar-sides">
            <SideView name={a} side={file.a} />
            <SideView name={b} side={file.b} />
          </div>
        </section>
      ))}
      {skipped.length > 0 && (
        <p className="hint">Over 50 MB, not looked at: {skipped.join(', ')}</p>
      )}
    </>
  )
}

function SideView({ name, side }: { readonly name: string; readonly side: Side }) {
  return (
    <div>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        {CHANGES[side.change]}
        {side.new_path !== null && ` to ${printableLine(side.new_path)}`}
        {side.binary && ' (binary)'}
      </p>
      {side.hunks.map(({ base, own, text }, index) => (
        <pre key={index} tabIndex={0} role="region" aria-label={`Changes of ${name}`}>
          <span className="tone-link">
            @@ -{base.join(',')} +{own.join(',')} @@{'\n'}
          </span>
          {text.map((line, at) => (
            <span key={at} className={line.startsWith('+') ? 'radar-added' : 'radar-removed'}>
              {printableLine(line)}
              {'\n'}
            </span>
          ))}
        </pre>
      ))}
    </div>
  )
}
