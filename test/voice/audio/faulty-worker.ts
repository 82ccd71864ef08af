/** A decoding worker whose decoder fails when the first byte of a chunk tells it to. */
import { parentPort } from 'node:worker_threads';
import { createStreamDecoder, serveDecoding } from '../../../server/voice/audio/decode-service.ts';
import { Fault } from './faults.ts';

serveDecoding(parentPort!, (options) => {
  const decoder = createStreamDecoder(options);
  return {
    ...decoder,
    push(chunk) {
      if (chunk[0] === Fault.hang) for (;;);
      if (chunk[0] === Fault.exit) process.exit(1);
      if (chunk[0] === Fault.memory) throw new RangeError('offset is out of bounds');
      return decoder.push(chunk);
    },
  };
});
