/** Client of the console's own API: JSON in, JSON out, one kind of failure. */
import { upload } from '../page/upload.ts';

/** Proof that a script of this page made the request: forms of other sites cannot set headers. */
const OWN_HEADER = { 'X-Dragoman-Console': '1' };

/** Account whose pages are shown; the server refuses requests if another account is signed in. */
let shownAccountId: string | undefined;

/** Sets the account whose pages are shown; none when undefined. */
export function actFor(accountId: string | undefined): void {
  shownAccountId = accountId;
}

/** How far the server's clock is ahead of the browser's, which may be wrong, in ms. */
let aheadMs = 0;

/** Returns the server's time as of its last answer and the time since, in ms since 1970. */
export function serverNowMs(): number {
  return Date.now() + aheadMs;
}

/** Fires `signed-out` when the session has ended. */
export const sessionEnd = new EventTarget();

/** A failed request; the message is for the user. */
export class ApiFailure extends Error {
  /** HTTP status, or 0 if the server did not answer. */
  readonly status: number;
  /** Delay before the next try, in seconds, if the server gave one. */
  readonly retryAfterS: number | undefined;

  constructor(message: string, { status, retryAfterS }: { status: number; retryAfterS?: number }) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.retryAfterS = retryAfterS;
  }

  /** Whether no answer came: the server or the network is down. */
  get isOffline(): boolean {
    return this.status === 0;
  }
}

/** Options of a request. */
export interface RequestOptions {
  body?: unknown;
  query?: Readonly<Record<string, string | number | undefined>>;
  signal?: AbortSignal;
  /** Whether the page polls by itself; such requests alone do not keep the session alive. */
  isPoll?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Calls by HTTP method. Paths are relative to `/console/api`, such as `v3/glossaries`. An empty answer is
 * `undefined`.
 *
 * @throws ApiFailure
 */
export const api = {
  get: <T>(path: string, options?: Omit<RequestOptions, 'body'>) => call<T>('GET', path, options),
  post: <T>(path: string, body: unknown) => call<T>('POST', path, { body }),
  put: <T>(path: string, body: unknown) => call<T>('PUT', path, { body }),
  patch: <T>(path: string, body: unknown) => call<T>('PATCH', path, { body }),
  delete: (path: string, options?: RequestOptions) => call<undefined>('DELETE', path, options),
  /** Fetches content other than JSON, such as a file to save. */
  content: async (path: string, options?: Omit<RequestOptions, 'body'>) =>
    whole((await request('GET', path, options)).blob(), options?.signal),
  upload: uploadFile,
};

/** Returns the address of a call. */
export function apiUrl(path: string, query: RequestOptions['query'] = {}): URL {
  const url = new URL(`api/${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

async function call<T>(method: Method, path: string, options?: RequestOptions): Promise<T> {
  const response = await request(method, path, options);
  if (response.status === 204) return undefined as T;
  return whole(response.json() as Promise<T>, options?.signal);
}

/** Resolves with a successful answer, whose body is still to be read. @throws ApiFailure */
async function request(
  method: Method,
  path: string,
  { body, query, signal, isPoll = false }: RequestOptions = {},
): Promise<Response> {
  const hasBody = body !== undefined;
  let response: Response;
  try {
    response = await fetch(apiUrl(path, query), {
      method,
      headers: {
        ...ownHeaders(),
        ...(isPoll && { 'X-Dragoman-Poll': '1' }),
        ...(hasBody && { 'Content-Type': 'application/json' }),
      },
      body: hasBody ? JSON.stringify(body) : null,
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw unanswered();
  }
  const atMs = Date.parse(response.headers.get('Date') ?? '');
  if (Number.isFinite(atMs)) aheadMs = atMs - Date.now();
  if (response.ok) return response;
  const retryAfter = response.headers.get('Retry-After');
  throw failureOf(response.status, retryAfter, await response.text().catch(() => ''));
}

/** Reads the body of an answer, which may break off. @throws ApiFailure */
async function whole<T>(body: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await body;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw unanswered();
  }
}

/** Uploads a file as is; `onShare` receives the share that was sent, 0 to 1. @throws ApiFailure */
async function uploadFile<T>(
  path: string,
  file: Blob,
  {
    contentType,
    query,
    onShare,
    signal,
  }: {
    contentType: string;
    query?: RequestOptions['query'];
    onShare?: (share: number) => void;
    signal?: AbortSignal;
  },
): Promise<T> {
  const headers = { ...ownHeaders(), 'Content-Type': contentType };
  const { status, body, retryAfter } = await upload(apiUrl(path, query), file, {
    headers,
    onShare,
    signal,
  }).catch((error: unknown) => {
    throw signal?.aborted === true ? error : unanswered();
  });
  if (status < 200 || status >= 300) throw failureOf(status, retryAfter, body);
  return (status === 204 ? undefined : JSON.parse(body)) as T;
}

function ownHeaders(): Record<string, string> {
  return {
    ...OWN_HEADER,
    ...(shownAccountId !== undefined && { 'X-Dragoman-Account': shownAccountId }),
  };
}

function failureOf(status: number, retryAfter: string | null, body: string): ApiFailure {
  if (status === 401) sessionEnd.dispatchEvent(new Event('signed-out'));
  const seconds = Number(retryAfter ?? NaN);
  return new ApiFailure(messageOf(body) ?? `The server answered with an error (${status}).`, {
    status,
    ...(Number.isFinite(seconds) && { retryAfterS: seconds }),
  });
}

function messageOf(body: string): string | undefined {
  try {
    const { message, detail } = JSON.parse(body) as { message?: unknown; detail?: unknown };
    if (typeof message !== 'string') return undefined;
    return typeof detail === 'string' ? `${message} ${detail}` : message;
  } catch {
    return undefined;
  }
}

function unanswered(): ApiFailure {
  return new ApiFailure('The server does not answer. Check that it runs and try again.', {
    status: 0,
  });
}
