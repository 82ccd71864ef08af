/** The process in which audio is decoded; see decode-messages.ts. */
import { serveAsWorker } from '../../../process/index.ts';
import { serveDecoding } from './decode-service.ts';
import { createStreamDecoder } from './stream-decoder.ts';

serveDecoding(serveAsWorker(), createStreamDecoder);
