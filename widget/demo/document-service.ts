/**
 * Document translation: uploads a file to the page's server, polls until it is done and fetches the result.
 */
import { upload } from '../page/upload.ts';

export interface DocumentOrder {
  file: File;
  /** Source language; detected when empty. */
  source: string;
  target: string;
  /** File extension of the requested output. */
  output: string;
}

/** Progress of a translation; `share` is a share of the whole, 0 to 1. */
export type DocumentProgress =
  | { step: 'sending' | 'waiting' | 'fetching'; share: number }
  | { step: 'translating'; share: number; secondsLeft: number };

interface DocumentHandle {
  document_id: string;
  document_key: string;
}

interface DocumentStatus {
  status: 'queued' | 'translating' | 'done' | 'error';
  seconds_remaining?: number;
  error_message?: string;
}

/** Failure reported by the server or by the connection to it; the message is for the user. */
export class DocumentFailure extends Error {}

const POLL_MS = { first: 300, most: 1_500 };
/** Longest absence of the server, in ms: after a restart it resumes its documents. */
const PATIENCE_MS = 60_000;
/** Shares of the whole at which the upload ends and the download begins. */
const SENT_SHARE = 0.08;
const TRANSLATED_SHARE = 0.97;
const AWAY = 'The server does not answer. Try again when it is back.';

/**
 * Translates a file and resolves with the result.
 *
 * @throws DocumentFailure, or the signal's reason
 */
export async function translateDocument(
  order: DocumentOrder,
  { onProgress, signal }: { onProgress: (progress: DocumentProgress) => void; signal: AbortSignal },
): Promise<Blob> {
  const handle = await send(order, {
    onShare: (share) => onProgress({ step: 'sending', share: share * SENT_SHARE }),
    signal,
  });
  try {
    await untilDone(handle, { onProgress, signal });
    onProgress({ step: 'fetching', share: TRANSLATED_SHARE });
    const response = await ask(handle, { path: '/result', signal });
    return await response.blob();
  } catch (error) {
    if (signal.aborted) forget(handle);
    throw error;
  }
}

/** Deletes a document that is no longer wanted. If the request does not arrive, the document expires. */
function forget({ document_id, document_key }: DocumentHandle): void {
  const query = new URLSearchParams({ document_key }).toString();
  const address = `demo/document/${document_id}?${query}`;
  fetch(address, { method: 'DELETE', keepalive: true }).catch(() => undefined);
}

async function send(
  { file, source, target, output }: DocumentOrder,
  { onShare, signal }: { onShare: (share: number) => void; signal: AbortSignal },
): Promise<DocumentHandle> {
  const form = new FormData();
  form.append('target_lang', target);
  if (source !== '') form.append('source_lang', source);
  form.append('output_format', output);
  form.append('file', file);
  onShare(0);
  const { status, body } = await upload('demo/document', form, { onShare, signal }).catch(
    (error: unknown) => {
      throw signal.aborted ? error : new DocumentFailure(AWAY);
    },
  );
  const answer = parsed(body);
  if (status !== 200) throw new DocumentFailure(messageOf(answer));
  return answer as DocumentHandle;
}

/** Parses JSON; returns undefined for anything else, such as a proxy's answer. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function untilDone(
  handle: DocumentHandle,
  { onProgress, signal }: { onProgress: (progress: DocumentProgress) => void; signal: AbortSignal },
): Promise<void> {
  let startedAtMs: number | undefined;
  let lastAnswerAtMs = performance.now();
  for (let waitMs = POLL_MS.first; ; waitMs = Math.min(POLL_MS.most, waitMs * 1.3)) {
    const nowMs = performance.now();
    const status = await statusOf(handle, signal);
    if (status !== undefined) lastAnswerAtMs = nowMs;
    else if (nowMs - lastAnswerAtMs > PATIENCE_MS) throw new DocumentFailure(AWAY);
    if (status?.status === 'done') return;
    if (status?.status === 'error') throw new DocumentFailure(messageOf(status));
    if (status?.status === 'translating') {
      startedAtMs ??= nowMs;
      const secondsLeft = status.seconds_remaining ?? 1;
      const doneMs = nowMs - startedAtMs;
      const share = doneMs / (doneMs + secondsLeft * 1_000);
      onProgress({
        step: 'translating',
        share: SENT_SHARE + (TRANSLATED_SHARE - SENT_SHARE) * share,
        secondsLeft,
      });
    } else if (status !== undefined) {
      onProgress({ step: 'waiting', share: SENT_SHARE });
    }
    await pause(waitMs, signal);
  }
}

/** Resolves with undefined while the server is unreachable. */
async function statusOf(
  handle: DocumentHandle,
  signal: AbortSignal,
): Promise<DocumentStatus | undefined> {
  try {
    const response = await ask(handle, { path: '', signal });
    return (await response.json()) as DocumentStatus;
  } catch (error) {
    if (signal.aborted || error instanceof DocumentFailure) throw error;
    return undefined;
  }
}

async function ask(
  { document_id, document_key }: DocumentHandle,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<Response> {
  const response = await fetch(`demo/document/${document_id}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ document_key }),
    signal,
  });
  if (response.ok) return response;
  throw new DocumentFailure(messageOf(await response.json().catch(() => undefined)));
}

function messageOf(answer: unknown): string {
  const { message, error_message } = (answer ?? {}) as Record<string, unknown>;
  const reason = error_message ?? message;
  return typeof reason === 'string' && reason !== ''
    ? reason
    : 'The document could not be translated. Please try again.';
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
