/** Ends uploads that hardly move: thousands of them cost their senders nothing, and keep a connection each. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import { answerRaw } from './upgrades.ts';

/** How slowly the bodies of requests may come. */
export interface UploadPace {
  /** What is waited for however little comes, in ms; what comes faster fills it up again. */
  graceMs: number;
  /** So many bytes make up for each second that is waited for. */
  bytesPerSecond: number;
  /** How often is looked, in ms. */
  periodMs: number;
}

const USUAL_PACE: UploadPace = {
  graceMs: 60_000,
  // A tenth of what a phone has where there is hardly any reception.
  bytesPerSecond: 2 * 1024,
  periodMs: 2_000,
};

/** A body on its way. */
interface Upload {
  request: FastifyRequest;
  reply: FastifyReply;
  lookedAtMs: number;
  /** Of its connection, when it was last looked at. */
  bytesRead: number;
  leftMs: number;
}

/** Has a server answer 408 to whoever is slower, and close the connection. */
export function useUploadPace(app: FastifyInstance, pace: UploadPace = USUAL_PACE): void {
  const uploads = new Set<Upload>();
  const timer = setInterval(() => {
    for (const upload of uploads) {
      const hasCome = upload.request.raw.complete;
      if (!hasCome && !isTooSlow(upload, pace)) continue;
      uploads.delete(upload);
      if (!hasCome) end(upload);
    }
  }, pace.periodMs);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    if (length === '0' && encoding === undefined) return;
    const upload = {
      ...{ request, reply, lookedAtMs: performance.now(), leftMs: pace.graceMs },
      bytesRead: raw.socket.bytesRead,
    };
    uploads.add(upload);
    raw.once('close', () => uploads.delete(upload));
  });
}

/** Looks at an upload again; what we have not made use of yet is not waited for. */
function isTooSlow(upload: Upload, { graceMs, bytesPerSecond }: UploadPace): boolean {
  const { raw } = upload.request;
  const nowMs = performance.now();
  const waitedMs = raw.readableLength > 0 ? 0 : nowMs - upload.lookedAtMs;
  const earnedMs = ((raw.socket.bytesRead - upload.bytesRead) / bytesPerSecond) * 1000;
  upload.lookedAtMs = nowMs;
  upload.bytesRead = raw.socket.bytesRead;
  upload.leftMs = Math.min(graceMs, upload.leftMs - waitedMs + earnedMs);
  return upload.leftMs <= 0;
}

function end({ request, reply }: Upload): void {
  const { socket } = request.raw;
  // It was answered before it had come: there is nothing more to be said.
  if (reply.raw.headersSent) socket.destroy();
  else answerRaw(socket, tooSlow(), request.id);
}

function tooSlow(): ServiceError {
  return new ServiceError(
    'request_timeout',
    'The upload has come to a stop, or is too slow. Please try again.',
  );
}
