/** Runs in a worker thread: reads how often words are written, or counts it. */
import { parentPort } from 'node:worker_threads';
import { readFrequencies } from './word-frequencies.ts';

const tables = readFrequencies();
const views = Object.values(tables).filter((each) => ArrayBuffer.isView(each));
// What was read from a file is one buffer.
const buffers = new Set(views.map(({ buffer }) => buffer as ArrayBuffer));
parentPort?.postMessage(tables, [...buffers]);
