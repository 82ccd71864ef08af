/** The process in which audio is decoded and listened to; see decode-messages.ts. */
import { serveAsWorker } from '../../process/index.ts';
import { answerWire, requestWire } from './decode-messages.ts';
import { createStreamDecoder, serveDecoding } from './decode-service.ts';

serveDecoding(serveAsWorker({ requests: requestWire, answers: answerWire }), createStreamDecoder);
