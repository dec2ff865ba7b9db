/**
 * Of the person’s environment what every agent CLI needs to reach a model from behind a company’s
 * proxy, and to trust its certificates.
 */
export const NETWORK = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const

/** `host:port` of each address of a model’s endpoint that is set and can be read. */
export const endpoints = (urls: readonly (string | undefined)[]): string[] =>
  urls.flatMap((url) => {
    if (url === undefined || !URL.canParse(url)) return []
    const { hostname, port, protocol } = new URL(url)
    return [`${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`]
  })

/**
 * Where there is a proxy, nothing of this machine goes through it: exomonad’s tools are served on
 * loopback, and so is OpenCode.
 */
export function directToLoopback(
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const set = (name: string): boolean => (variables[name] ?? '') !== ''
  if (!NETWORK.some((name) => /proxy$/i.test(name) && !/^no_/i.test(name) && set(name))) return {}
  const direct = [variables['NO_PROXY'] ?? variables['no_proxy'] ?? '', '127.0.0.1', 'localhost']
    .filter((part) => part !== '')
    .join(',')
  return { NO_PROXY: direct, no_proxy: direct }
}
