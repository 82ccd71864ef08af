/** The storage bucket of Firefox's translation models: their list, and their files compressed with gzip. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { startFileServer, type FileServer } from './file-server.ts';

/** A published model; contents by the list's file names. */
export interface PublishedTranslation {
  pair: string;
  architecture?: string;
  releaseStatus?: string | null;
  files: Readonly<Record<string, Buffer>>;
}

export interface TranslationBucket extends FileServer {
  /** Publishes models in addition to existing ones. */
  publish(...models: readonly PublishedTranslation[]): void;
  /** Replaces a published file with a compressed one. */
  replace(pair: string, architecture: string, file: string, packed: Buffer): void;
}

const fileNames: Readonly<Record<string, string>> = {
  model: 'model.bin',
  lexicalShortlist: 'lex.bin',
  vocab: 'vocab.spm',
  srcVocab: 'srcvocab.spm',
  trgVocab: 'trgvocab.spm',
};

export async function startTranslationBucket(): Promise<TranslationBucket> {
  const server = await startFileServer();
  const listed: Record<string, object[]> = {};
  const pathOf = (pair: string, architecture: string, file: string) =>
    `models/${pair}/${architecture}/exported/${fileNames[file] ?? file}.gz`;

  function publish(...models: readonly PublishedTranslation[]): void {
    for (const { pair, architecture = 'tiny', releaseStatus = 'Release', files } of models) {
      const entries = Object.entries(files).map(([file, content]) => {
        const path = pathOf(pair, architecture, file);
        server.files.set(`/${path}`, gzipSync(content));
        const uncompressedHash = createHash('sha256').update(content).digest('hex');
        return [file, { path, uncompressedHash, uncompressedSize: content.length }] as const;
      });
      const [sourceLanguage, targetLanguage] = pair.split('-');
      (listed[pair] ??= []).push({
        ...{ architecture, sourceLanguage, targetLanguage, releaseStatus },
        files: Object.fromEntries(entries),
      });
    }
    const list = {
      generated: '2026-09-30T00:44:58Z',
      // Another host: a client that names a mirror must fetch everything from the mirror.
      baseUrl: 'https://storage.example.org/translations',
      models: listed,
    };
    server.files.set('/db/models.json', Buffer.from(JSON.stringify(list)));
  }

  return Object.assign(server, {
    publish,
    replace(pair: string, architecture: string, file: string, packed: Buffer) {
      server.files.set(`/${pathOf(pair, architecture, file)}`, packed);
    },
  });
}
