const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses the connection',
  ECONNRESET: 'it ended the connection',
  EPIPE: 'it ended the connection',
  UND_ERR_SOCKET: 'it ended the connection',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name can’t be looked up',
  ENETUNREACH: 'there is no way to it',
  EHOSTUNREACH: 'there is no way to it',
  ENETDOWN: 'the network is down',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_HEADERS_TIMEOUT: 'it does not answer',
  UND_ERR_BODY_TIMEOUT: 'its answer stopped in the middle',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is self-signed; NODE_EXTRA_CA_CERTS names a file with certificates to trust',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is self-signed; NODE_EXTRA_CA_CERTS names a file with certificates to trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate’s issuer is not known; NODE_EXTRA_CA_CERTS names a file with certificates to trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate’s issuer is not known; NODE_EXTRA_CA_CERTS names a file with certificates to trust',
}

/**
 * The code of the innermost cause: a host with several addresses answers with one error for each.
 */
function systemCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; depth++) {
    const { code } = at as NodeJS.ErrnoException
    if (typeof code === 'string' && code in NETWORK) return code
    at = at instanceof AggregateError ? at.errors[0] : at.cause
  }
  return undefined
}

/**
 * Why there was no answer, in words and by the system’s code; null where the system did not say.
 */
export function networkTrouble(
  error: unknown,
): { readonly code: string; readonly words: string } | null {
  const code = systemCode(error)
  return code === undefined ? null : { code, words: `${NETWORK[code]} (${code})` }
}
