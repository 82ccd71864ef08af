/** Answer of the server to an upload, with the body as text. */
export interface UploadAnswer {
  status: number;
  body: string;
  /** Header `Retry-After`, if the server sent one. */
  retryAfter: string | null;
}

/**
 * Posts a body. Uses XMLHttpRequest, because `fetch` does not report upload progress.
 *
 * @param onShare receives the share that was sent, 0 to 1
 * @throws TypeError if the server does not answer; the signal's reason if aborted
 */
export function upload(
  url: string | URL,
  body: Blob | FormData,
  {
    headers = {},
    onShare,
    signal,
  }: {
    headers?: Readonly<Record<string, string>>;
    onShare?: ((share: number) => void) | undefined;
    signal?: AbortSignal | undefined;
  },
): Promise<UploadAnswer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onShare?.(total === 0 ? 1 : loaded / total);
    request.onload = () =>
      resolve({
        status: request.status,
        body: request.responseText,
        retryAfter: request.getResponseHeader('Retry-After'),
      });
    request.onerror = () => reject(new TypeError('The server does not answer.'));
    request.onabort = () => reject(signal?.reason as Error);
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
}
