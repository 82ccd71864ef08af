/** The process in which audio is decoded; see decode-messages.ts. */
import { serveAsWorker } from '../../process/index.ts';
import { createStreamDecoder, serveDecoding } from './decode-service.ts';

serveDecoding(serveAsWorker(), createStreamDecoder);
