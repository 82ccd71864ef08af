/** What messages of the voice socket look like, in JSON frames. */
import type { clientMessages, serverMessages } from '../../shared/protocol/messages.ts';

type MessageName = (typeof clientMessages | typeof serverMessages)[number]['title'];

const tentative = { text: ' How are', start_time: 1480, end_time: 1900 };

/** An example or two of every message, by its name. */
export const messageExamples: Readonly<Record<MessageName, readonly object[]>> = {
  source_media_chunk: [{ source_media_chunk: { data: 'AAABAAIAAwA=' } }],
  end_of_utterance: [{ end_of_utterance: {} }],
  session_update: [
    { session_update: { id: '1', target_languages: ['es', 'fr'] } },
    { session_update: { glossary_id: 'a74d88fb-ed2a-4943-a664-a4512398b994', formality: null } },
  ],
  end_of_source_media: [{ end_of_source_media: {} }],
  source_transcript_update: [
    {
      source_transcript_update: {
        concluded: [{ language: 'en', text: 'Good morning.', start_time: 420, end_time: 1310 }],
        tentative: [{ language: 'en', ...tentative }],
      },
    },
    {
      source_transcript_update: {
        sequence: 1,
        concluded: [{ language: 'en', text: 'Good morning.', start_time: 420, end_time: 1310 }],
        tentative: [],
      },
    },
  ],
  target_transcript_update: [
    {
      target_transcript_update: {
        language: 'es',
        concluded: [{ text: 'Buenos días.', start_time: 420, end_time: 1310 }],
        tentative: [{ ...tentative, text: ' Cómo' }],
      },
    },
  ],
  target_media_chunk: [
    {
      target_media_chunk: {
        ...{ language: 'es', data: ['T2dnUwACAAA=', 'T2dnUwAAAAA='], duration: 120 },
        ...{ text: 'Buenos días.', content_type: 'audio/ogg;codecs=opus', headers: 1 },
      },
    },
    { target_media_chunk: { language: 'es', data: ['T2dnUwAAAAA='], duration: 100 } },
  ],
  end_of_source_transcript: [{ end_of_source_transcript: {} }],
  end_of_target_transcript: [{ end_of_target_transcript: { language: 'es' } }],
  end_of_target_media: [{ end_of_target_media: { language: 'es' } }],
  source_media_acknowledgement: [
    { source_media_acknowledgement: { received_audio_ms: 2600, received_audio_bytes: 83200 } },
  ],
  source_lag_update: [
    { source_lag_update: { lag_ms: 1800 } },
    { source_lag_update: { lag_ms: 0 } },
  ],
  session_updated: [
    { session_updated: { id: '1', start_time: 4200, target_languages: ['es', 'fr'] } },
  ],
  session_update_refused: [
    {
      session_update_refused: {
        ...{ id: '1', error_code: 400, reason_code: 4000001 },
        error_message: 'At most 5 target languages are possible.',
      },
    },
  ],
  end_of_stream: [{ end_of_stream: {} }],
  error: [
    {
      error: {
        request_type: 'source_media_chunk',
        error_code: 400,
        reason_code: 4000403,
        error_message: 'Audio format not supported.',
      },
    },
  ],
};
