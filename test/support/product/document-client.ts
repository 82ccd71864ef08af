/** A client of `/v2/document`, as users write one: uploads, polls, downloads. */
import { until, type RunningServer } from './server.ts';

export interface DocumentHandle {
  document_id: string;
  document_key: string;
}

export interface DocumentStatus {
  document_id: string;
  status: 'queued' | 'translating' | 'done' | 'error';
  seconds_remaining?: number;
  billed_characters?: number;
  error_message?: string;
  message?: string;
}

export interface UploadedFile {
  name: string;
  content: Uint8Array | string;
}

type Fields = Record<string, string>;
type Headers = Record<string, string>;

/** Returns the form of an upload: fields first, then the file. */
export function uploadForm({ name, content }: UploadedFile, fields: Fields): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', new Blob([content as Uint8Array<ArrayBuffer>]), name);
  return form;
}

export function documentClient(server: RunningServer, headers: Headers = {}) {
  const post = (pathname: string, body: unknown) => server.post(pathname, body, headers);
  const upload = (file: UploadedFile, fields: Fields = { target_lang: 'ES' }) =>
    server.send('/v2/document', { method: 'POST', body: uploadForm(file, fields), headers });

  /** Uploads a file; fails if it is refused. */
  async function submit(file: UploadedFile, fields?: Fields): Promise<DocumentHandle> {
    const response = await upload(file, fields);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as DocumentHandle;
  }

  async function status({ document_id, document_key }: DocumentHandle): Promise<DocumentStatus> {
    const response = await post(`/v2/document/${document_id}`, { document_key });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as DocumentStatus;
  }

  /** Waits until the translation has ended, in success or failure. */
  const settled = (handle: DocumentHandle, deadlineMs = 60_000) =>
    until(async () => {
      const found = await status(handle);
      return (found.status === 'done' || found.status === 'error') && found;
    }, deadlineMs);

  const result = ({ document_id, document_key }: DocumentHandle) =>
    post(`/v2/document/${document_id}/result`, { document_key });

  return {
    upload,
    submit,
    status,
    settled,
    result,
    /** Uploads a file and resolves with its translation. */
    async translate(file: UploadedFile, fields?: Fields): Promise<Buffer> {
      const handle = await submit(file, fields);
      const end = await settled(handle);
      if (end.status !== 'done') throw new Error(end.error_message);
      return Buffer.from(await (await result(handle)).arrayBuffer());
    },
  };
}
