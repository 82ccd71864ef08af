/** Worker thread: reads the dictionaries it is given, which may take a second, or else counts word frequencies. */
import { parentPort, workerData } from 'node:worker_threads';
import { type DictionaryFile, readDictionary } from '../../text/words/dictionaries.ts';
import { countFrequencies } from './word-frequencies.ts';
import type { ReadWordList } from './word-lists.ts';

const port = parentPort;
if (port === null) throw new Error('This module runs in a worker thread.');

/** Returns the memory of typed arrays, for transfer; tables read from one file share a buffer. */
function buffersOf(tables: object): ArrayBuffer[] {
  const views = Object.values(tables).filter((each) => ArrayBuffer.isView(each));
  return [...new Set(views.map(({ buffer }) => buffer as ArrayBuffer))];
}

const files = (workerData ?? undefined) as readonly DictionaryFile[] | undefined;
if (files === undefined) {
  const tables = countFrequencies();
  port.postMessage(tables, buffersOf(tables));
} else {
  for (const file of files) {
    // Reported to the parent as an unreadable list.
    const words = await readDictionary(file).catch(() => undefined);
    port.postMessage({ ...file, words } satisfies ReadWordList, buffersOf(words ?? {}));
  }
}
