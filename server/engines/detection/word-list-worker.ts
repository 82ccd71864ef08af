/** Runs in a worker thread: reads dictionaries, which takes a second. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { readAnalyser, readHunspell } from './dictionary-words.ts';
import type { ReadWordList, WordListFile } from './word-lists.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs in a worker thread.');

for (const { language, path } of workerData as readonly WordListFile[]) {
  let words: ReadWordList['words'];
  try {
    words = path.endsWith('.dic')
      ? readDictionary(path, language === 'de')
      : readAnalyser(readFileSync(path));
  } catch {
    // Reported as a list that cannot be read.
  }
  const buffers = Object.values(words ?? {}).filter((each) => ArrayBuffer.isView(each));
  const transferList = buffers.map(({ buffer }) => buffer as ArrayBuffer);
  port.postMessage({ language, path, words } satisfies ReadWordList, transferList);
}

function readDictionary(path: string, hasNames: boolean) {
  const affixes = readFileSync(path.replace(/\.dic$/, '.aff'));
  // Some begin with a byte order mark.
  const encoding = /^\W*SET\s+(\S+)/m.exec(affixes.toString('latin1'))?.[1] ?? 'ISO8859-1';
  const decoder = new TextDecoder(encoding.replace(/^ISO(?=\d)/, 'ISO-'));
  return readHunspell(decoder.decode(readFileSync(path)), decoder.decode(affixes), { hasNames });
}
