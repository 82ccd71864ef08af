/**
 * What speech to text over a socket is with sherpa-onnx and little else, as its examples have it: Silero finds speech;
 * what grows is decoded anew each half second, and once more when half a second of silence has followed. One line of
 * its answers is `{ text, isFinal }`. Started with the files of the model as JSON.
 */
import { createRequire } from 'node:module';
import { WebSocketServer } from 'ws';

// It has no types.
const sherpa = createRequire(import.meta.url)('sherpa-onnx-node');

const RATE_HZ = 16_000;
const WINDOW = 512;
const HOP = RATE_HZ / 2;

const { encoder, decoder, tokens, vad } =
  /** @type {Record<'encoder' | 'decoder' | 'tokens' | 'vad', string>} */ (
    JSON.parse(process.argv[2] ?? '{}')
  );
const recogniser = new sherpa.OfflineRecognizer({
  featConfig: { sampleRate: RATE_HZ, featureDim: 80 },
  modelConfig: {
    moonshine: { encoder, mergedDecoder: decoder },
    ...{ tokens, numThreads: 1, provider: 'cpu', debug: 0 },
  },
});

/** @param {Float32Array} samples */
async function textOf(samples) {
  const stream = recogniser.createStream();
  stream.acceptWaveform({ samples, sampleRate: RATE_HZ });
  return (await recogniser.decodeAsync(stream)).text.trim();
}

/** @param {import('ws').WebSocket} socket */
function listen(socket) {
  const detector = new sherpa.Vad(
    {
      sileroVad: {
        ...{ model: vad, threshold: 0.5, minSpeechDuration: 0.25, minSilenceDuration: 0.5 },
        windowSize: WINDOW,
      },
      ...{ sampleRate: RATE_HZ, numThreads: 1, debug: 0 },
    },
    60,
  );
  let pending = new Float32Array(0);
  let speech = new Float32Array(0);
  let decodedSamples = 0;
  let work = Promise.resolve();
  /** @param {Float32Array} samples @param {boolean} isFinal */
  const tell = (samples, isFinal) => {
    work = work.then(async () => {
      socket.send(JSON.stringify({ text: await textOf(samples), isFinal }));
    });
  };
  socket.on('message', (data) => {
    const bytes = /** @type {Buffer} */ (data);
    pending = joined(pending, floats(bytes));
    while (pending.length >= WINDOW) {
      const window = pending.slice(0, WINDOW);
      pending = pending.slice(WINDOW);
      detector.acceptWaveform(window);
      speech = detector.isDetected() ? joined(speech, window) : new Float32Array(0);
      if (speech.length === 0) decodedSamples = 0;
      if (speech.length - decodedSamples >= HOP) {
        decodedSamples = speech.length;
        tell(speech, false);
      }
      for (; !detector.isEmpty(); detector.pop()) tell(detector.front(false).samples, true);
    }
  });
}

/** @param {Float32Array} one @param {Float32Array} other */
function joined(one, other) {
  const whole = new Float32Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}

/** @param {Buffer} bytes s16le */
function floats(bytes) {
  const samples = new Float32Array(bytes.length >> 1);
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = bytes.readInt16LE(index * 2) / 32_768;
  }
  return samples;
}

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', listen);
server.on('listening', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`ws://127.0.0.1:${port}/`);
});
