/** A decoding worker whose decoder fails when the first byte of a chunk says so. */
import { parentPort, workerData } from 'node:worker_threads';

/** @type {{ service: string, fault: Record<'hang' | 'exit' | 'memory', number> }} */
const { service, fault } = workerData;
/** @type {typeof import('../../../server/voice/audio/decode-service.ts')} */
const { createStreamDecoder, serveDecoding } = await import(service);

if (parentPort === null) throw new Error('This is a worker.');
serveDecoding(parentPort, (options) => {
  const decoder = createStreamDecoder(options);
  return {
    ...decoder,
    push(chunk) {
      if (chunk[0] === fault.hang) for (;;);
      if (chunk[0] === fault.exit) process.exit(1);
      if (chunk[0] === fault.memory) throw new RangeError('offset is out of bounds');
      return decoder.push(chunk);
    },
  };
});
