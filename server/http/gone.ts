import type { FastifyReply } from 'fastify';

/** Makes what aborts when whoever asked goes away before the whole answer has been sent. */
export function abortWhenGone({ raw }: FastifyReply): AbortController {
  const abort = new AbortController();
  if (raw.destroyed) abort.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) abort.abort();
  });
  return abort;
}
