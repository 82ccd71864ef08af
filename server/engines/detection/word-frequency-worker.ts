/** Runs in a worker thread: reads the lists of frequent words, which takes a second. */
import { parentPort } from 'node:worker_threads';
import { readFrequencies } from './word-frequencies.ts';

const tables = readFrequencies();
const buffers = Object.values(tables).filter((each) => ArrayBuffer.isView(each));
parentPort?.postMessage(
  tables,
  buffers.map(({ buffer }) => buffer as ArrayBuffer),
);
