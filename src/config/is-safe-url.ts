/** Whether a token may be sent there: encrypted, or on this machine. */
export function isSafeUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname))
  )
}
