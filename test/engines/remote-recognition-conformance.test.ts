import { afterAll, beforeAll } from 'vitest';
import { createOpenAiRealtime } from '../../server/engines/recognition/openai-realtime.ts';
import { createOpenAiTranscription } from '../../server/engines/recognition/openai-transcription.ts';
import { createVosk } from '../../server/engines/recognition/vosk.ts';
import { createWhisperLive } from '../../server/engines/recognition/whisperlive.ts';
import { recordLog } from '../support/product/log-record.ts';
import {
  startRealtimeServer,
  type RealtimeServer,
} from '../support/services/openai-realtime-server.ts';
import {
  startSpeechToTextServer,
  type SpeechToTextServer,
} from '../support/services/openai-speech-to-text-server.ts';
import { startVoskServer, type VoskServer } from '../support/services/vosk-server.ts';
import {
  startWhisperLiveServer,
  type WhisperLiveServer,
} from '../support/services/whisperlive-server.ts';
import { describeRecognitionEngine } from './recognition-conformance.ts';
import { hearing, KEY, QUICK, tones, untimedTones } from './remote-recognition-support.ts';

let transcription: SpeechToTextServer;
let realtime: RealtimeServer;
let vosk: VoskServer;
let whisperLive: WhisperLiveServer;
const log = recordLog();

beforeAll(async () => {
  transcription = await startSpeechToTextServer({ key: KEY });
  realtime = await startRealtimeServer({ key: KEY });
  vosk = await startVoskServer();
  whisperLive = await startWhisperLiveServer();
});
afterAll(async () => {
  await Promise.all([transcription, realtime, vosk, whisperLive].map((server) => server.close()));
});

describeRecognitionEngine(
  'OpenAI-compatible transcription',
  async () =>
    hearing(
      await createOpenAiTranscription({
        ...QUICK,
        log,
        url: transcription.url,
        model: 'whisper-1',
        key: KEY,
      }),
    ),
  // The whole utterance is available at once, so no partials are needed.
  { ...tones, hasPartials: false },
);

describeRecognitionEngine(
  'OpenAI-compatible realtime transcription',
  async () =>
    hearing(
      await createOpenAiRealtime({
        ...QUICK,
        log,
        url: realtime.apiUrl,
        model: 'gpt-4o-transcribe',
        key: KEY,
      }),
    ),
  untimedTones,
);

describeRecognitionEngine(
  'a Vosk server',
  async () => hearing(await createVosk({ ...QUICK, log, url: vosk.url })),
  tones,
);

describeRecognitionEngine(
  'a WhisperLive server',
  async () =>
    hearing(await createWhisperLive({ ...QUICK, log, url: whisperLive.url, emptyAfterMs: 1_000 })),
  { ...untimedTones, toleranceMs: 150 },
);
