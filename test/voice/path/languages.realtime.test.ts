/**
 * Languages over a real socket: which recogniser hears an unexpected language, and how captions are labelled.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chatQuestions,
  startChatServer,
  type ChatServer,
} from '../../support/services/openai-chat-server.ts';
import {
  startHosted,
  type HostedServer,
  WITHOUT_ENGINES,
} from '../../support/product/hosted-server.ts';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import {
  connect,
  endMarks,
  PCM_16K,
  stream,
  type VoiceClient,
} from '../../support/product/voice-client.ts';
import { startVoskServer, type VoskServer } from '../../support/services/vosk-server.ts';

/** Each speaker's sentence as tones, which the recognisers map to words. */
const ENGLISH_TONES = 'alpha bravo charlie delta echo foxtrot golf hotel';
const GERMAN_TONES = 'india juliett kilo lima mike november oscar papa';
const ENGLISH = 'the weather will be cold and windy tomorrow';
const GERMAN = 'wir haben gestern einen sehr schönen film gesehen';
/** How the recogniser of the other language spells each sentence, which reveals who heard it. */
const ENGLISH_MISHEARD = 'the weather will be cold and windi tomorrow';
const GERMAN_MISHEARD = 'wir haben gestern einen sehr schonen film gesehen';

/** The words that a model recognises in tones. */
const spelling = (...[tones, words]: [string, string]) => {
  const spelled = words.split(' ');
  return Object.fromEntries(tones.split(' ').map((tone, index) => [tone, spelled[index] ?? '']));
};

let english: VoskServer;
let german: VoskServer;
let chat: ChatServer;
let server: HostedServer;
beforeAll(async () => {
  const hearing = (english: string, german: string) => ({
    spelling: { ...spelling(ENGLISH_TONES, english), ...spelling(GERMAN_TONES, german) },
  });
  [english, german, chat] = await Promise.all([
    startVoskServer(hearing(ENGLISH, GERMAN_MISHEARD)),
    startVoskServer(hearing(ENGLISH_MISHEARD, GERMAN)),
    startChatServer(),
  ]);
  server = await startHosted({
    ...WITHOUT_ENGINES,
    ...{ RECOGNISER: 'vosk', VOSK_URL: `en=${english.url},de=${german.url}` },
    ...{ CHAT_URL: chat.apiUrl, CHAT_MODEL: 'pseudo' },
  });
});
afterAll(async () => {
  await server.stop();
  await Promise.all([english.close(), german.close(), chat.close()]);
});

/** Speaks sentences one after the other in a session until it is closed; returns its client. */
async function said(tones: string[], request: Record<string, unknown>): Promise<VoiceClient> {
  const client = await connect(server, { source_media_content_type: PCM_16K, ...request });
  const audio = Buffer.concat(tones.map((sentence) => toneSpeech(sentence)));
  await stream(client, audio, { chunkBytes: 3_200, chunkMs: 100 });
  client.end();
  expect((await client.closed).code, JSON.stringify(client.error())).toBe(1000);
  return client;
}

/** Language and text of every concluded source segment. */
function concluded({ messages }: VoiceClient): [string, string][] {
  return messages.flatMap((message) =>
    message.type === 'source_transcript_update'
      ? message.concluded.map(({ language, text }): [string, string] => [
          language,
          text.trim().toLowerCase().replace('.', ''),
        ])
      : [],
  );
}

/** The languages of all target captions, as they are spelt there. */
function targets({ messages }: VoiceClient): Set<string> {
  return new Set(
    messages.flatMap((message) =>
      message.type === 'target_transcript_update' ? [message.language] : [],
    ),
  );
}

describe.concurrent('a session whose speaker uses another language than requested', () => {
  it('switches to the recogniser of that language, and back', async ({ expect }) => {
    const sentences = [GERMAN_TONES, GERMAN_TONES, GERMAN_TONES, ENGLISH_TONES, ENGLISH_TONES];
    const client = await said([...sentences, ENGLISH_TONES], {
      ...{ source_language: 'en-us', target_languages: ['es'] },
    });
    expect(concluded(client)).toEqual([
      // A single sentence does not outweigh the client's request; two do.
      ['en-us', GERMAN_MISHEARD],
      ['de', GERMAN_MISHEARD],
      ['de', GERMAN],
      // A German recogniser has no reason to recognise English, so one sentence is enough.
      ['en-us', ENGLISH_MISHEARD],
      ['en-us', ENGLISH_MISHEARD],
      ['en-us', ENGLISH],
    ]);
  });

  it('detects the language by itself, and labels the targets as the client requested them', async ({
    expect,
  }) => {
    const client = await said([GERMAN_TONES, GERMAN_TONES, GERMAN_TONES], {
      ...{ source_language: undefined, target_languages: ['zh-HANS', 'en-GB'] },
    });
    expect(concluded(client)).toEqual([
      ['de', GERMAN_MISHEARD],
      ['de', GERMAN_MISHEARD],
      ['de', GERMAN],
    ]);
    expect(targets(client)).toEqual(new Set(['zh-HANS', 'en-GB']));
    for (const target of ['zh-HANS', 'en-GB']) {
      expect(client.text(target).match(/gesehen/g), target).toHaveLength(3);
    }
    expect(endMarks(client)).toEqual([
      ...['end_of_source_transcript', 'end_of_target_transcript zh-HANS'],
      ...['end_of_target_transcript en-GB', 'end_of_stream'],
    ]);
    const asked = chatQuestions(chat).find(({ items }) => items[0]?.text.includes('schönen'));
    expect(asked?.source_language).toBe('German (de)');
  });
});
