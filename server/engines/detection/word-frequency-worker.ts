/** Worker thread: reads or computes the word frequencies. */
import { parentPort } from 'node:worker_threads';
import { readFrequencies } from './word-frequencies.ts';

const tables = readFrequencies();
const views = Object.values(tables).filter((each) => ArrayBuffer.isView(each));
// Tables read from a file share one buffer.
const buffers = new Set(views.map(({ buffer }) => buffer as ArrayBuffer));
parentPort?.postMessage(tables, [...buffers]);
