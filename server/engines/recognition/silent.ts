import { voiceSourceLanguages } from '../../../shared/schemas/voice-session.ts';
import type { RecognitionEngine } from '../engine.ts';

/** A recogniser that hears every language of the contract and reports nothing: for load tests. */
export function createSilentRecogniser(): RecognitionEngine {
  return {
    name: 'silent',
    languages: voiceSourceLanguages,
    detectsLanguage: false,
    sampleRateHz: 16_000,
    punctuates: false,
    async *recognise(audio) {
      for await (const piece of audio) void piece;
    },
    close: async () => undefined,
  };
}
