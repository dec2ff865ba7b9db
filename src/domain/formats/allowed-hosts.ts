/** A host that is let through: `name` or `*.name`, and of its ports one, or (null) those of the web. */
export interface AllowedHost {
  readonly name: string
  readonly port: number | null
}

const WEB = [80, 443]
const LOOPBACK = ['127.0.0.1', 'localhost', '::1']

/** `NAME`, `*.NAME`, each with `:PORT` or without; undefined for anything else. */
export function parseAllowed(text: string): AllowedHost | undefined {
  const [, name, port] =
    /^((?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::(\d{1,5}))?$/i.exec(text) ?? []
  if (name === undefined) return undefined
  const number = port === undefined ? null : Number(port)
  if (number !== null && (number === 0 || number > 65_535)) return undefined
  return { name: plain(name), port: number }
}

/** Whether a connection to that host and port is let through. */
export const isAllowed = (
  allowed: readonly AllowedHost[],
  { host, port }: { readonly host: string; readonly port: number },
): boolean =>
  allowed.some(
    (one) =>
      (one.port === null ? WEB.includes(port) : one.port === port) && fits(one.name, plain(host)),
  )

const fits = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern

/** Ports of this machine that are let through; of those nothing goes through a proxy. */
export const loopbackPorts = (allowed: readonly AllowedHost[]): number[] =>
  allowed.flatMap(({ name, port }) => (port !== null && LOOPBACK.includes(name) ? [port] : []))

const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
