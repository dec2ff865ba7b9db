import type { FastifyInstance, FastifyReply } from 'fastify'
import { asExomonadError, ExomonadError } from '../domain/errors.ts'
import { ERRORS } from '../domain/error-codes.ts'
import type { Log } from '../runtime/log.ts'

/**
 * Every error is answered as `{error, code, …facts}` with the code’s status; a stack goes to the
 * log only.
 */
export function installErrors(fastify: FastifyInstance, log: Log): void {
  fastify.setErrorHandler((thrown, request, reply) => {
    const error = fromFastify(thrown) ?? asExomonadError(thrown)
    if (error.code === 'INTERNAL')
      log.error(
        { err: error.cause ?? error, method: request.method, route: request.routeOptions.url },
        'a request failed',
      )
    return answerError(reply, error)
  })
}

/** A route that is not there is answered in the same way. */
export function installNotFound(fastify: FastifyInstance): void {
  fastify.setNotFoundHandler((request, reply) =>
    reply
      .code(404)
      .send(
        new ExomonadError(
          'INVALID_ARG',
          `There is no ${request.method} ${pathOf(request.url)}. GET /openapi.json lists what there is.`,
        ).toJSON(),
      ),
  )
}

export const answerError = (reply: FastifyReply, error: ExomonadError): FastifyReply =>
  reply.code(ERRORS[error.code].status).send(error.toJSON())

/** Body as bytes of an answer for requests that fastify never sees (broken HTTP). */
export function rawAnswer(
  error: ExomonadError,
  headers: Readonly<Record<string, string>> = {},
): string {
  const body = JSON.stringify(error.toJSON())
  const head = [
    `HTTP/1.1 ${ERRORS[error.code].status} Bad Request`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/**
 * What fastify itself refuses (size, broken JSON, broken URL) is the caller’s fault and named so.
 */
export function fromFastify(thrown: unknown): ExomonadError | undefined {
  if (!(thrown instanceof Error) || thrown instanceof ExomonadError) return undefined
  const { code, statusCode } = thrown as Error & { code?: string; statusCode?: number }
  if (statusCode === undefined || statusCode >= 500 || statusCode < 400) return undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ExomonadError(
      'INVALID_ARG',
      'The request is larger than this takes (10 MB). Send less, or point to a file.',
      {},
      { cause: thrown },
    )
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY' || thrown instanceof SyntaxError)
    return new ExomonadError(
      'INVALID_ARG',
      `The body is not JSON: ${thrown.message}.`,
      {},
      { cause: thrown },
    )
  return new ExomonadError(
    'INVALID_ARG',
    `The request is not valid: ${thrown.message}`,
    {},
    { cause: thrown },
  )
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? url
