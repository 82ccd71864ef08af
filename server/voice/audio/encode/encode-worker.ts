/** The worker thread in which speech is encoded. */
import { parentPort } from 'node:worker_threads';
import { serveEncoding } from './encode-service.ts';

if (parentPort === null) throw new Error('This module is run as a worker thread.');
serveEncoding(parentPort);
