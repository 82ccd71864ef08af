/** Worker thread: reads dictionaries, which takes about a second. */
import { parentPort, workerData } from 'node:worker_threads';
import { type DictionaryFile, readDictionary } from '../../text/words/dictionaries.ts';
import type { ReadWordList } from './word-lists.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs in a worker thread.');

for (const file of workerData as readonly DictionaryFile[]) {
  // Reported to the parent as an unreadable list.
  const words = await readDictionary(file).catch(() => undefined);
  const buffers = Object.values(words ?? {}).filter((each) => ArrayBuffer.isView(each));
  const transferList = buffers.map(({ buffer }) => buffer as ArrayBuffer);
  port.postMessage({ ...file, words } satisfies ReadWordList, transferList);
}
