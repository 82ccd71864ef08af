/** The worker thread in which audio is decoded. */
import { parentPort } from 'node:worker_threads';
import { serveDecoding } from './decode-service.ts';
import { createStreamDecoder } from './stream-decoder.ts';

if (parentPort === null) throw new Error('This module is run as a worker thread.');
serveDecoding(parentPort, createStreamDecoder);
