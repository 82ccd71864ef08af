/** Process that decodes audio and finds utterances; see decode-messages.ts. */
import { serveAsWorker } from '../../process/index.ts';
import { answerWire, requestWire } from './decode-messages.ts';
import { createStreamDecoder, serveDecoding } from './decode-service.ts';

serveDecoding(serveAsWorker({ requests: requestWire, answers: answerWire }), createStreamDecoder);
