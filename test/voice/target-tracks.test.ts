/** Target languages that come and go while somebody speaks. */
import { expect, it } from 'vitest';
import type { ServerMessage } from '../../shared/protocol/messages.ts';
import type { CaptionSegment, CaptionUpdate } from '../../server/voice/captions.ts';
import { createChannel, merge, type Channel } from '../../server/voice/streams.ts';
import { createTargetTracks, type TargetTracks } from '../../server/voice/target-tracks.ts';
import { until } from '../support/server.ts';

interface Stage {
  said: Channel<CaptionUpdate>;
  tracks: TargetTracks;
  /** What was told, as short lines: `es: text`, `es~ tentative text`, `es.` for an end. */
  told: string[];
  change(...targets: string[]): boolean;
  ended: Promise<void>;
}

const signal = new AbortController().signal;
const segmentOf = (text: string): CaptionSegment => ({
  text,
  startMs: 0,
  endMs: 1,
  language: 'en',
});

const saying = (growing: string | undefined, ...concluded: string[]): CaptionUpdate => ({
  ...{ concluded: [], tentative: [] },
  sentences: {
    concluded: concluded.map(segmentOf),
    growing: growing === undefined ? undefined : segmentOf(growing),
    isUnsure: false,
  },
});

function stage(...first: string[]): Stage {
  const said = createChannel<CaptionUpdate>();
  const messages = merge<ServerMessage>();
  const told: string[] = [];
  const terms = (names: string[]) => ({
    targets: names.map((name) => ({ requested: name, tag: name.toLowerCase() })),
    speech: undefined,
    translateText: async (text: string, { target }: { target: string }) => `${text}/${target}`,
  });
  const tracks = createTargetTracks(said, terms(first), {
    ...{ mode: 'instant', signal, add: (each) => messages.add(each) },
    encoders: {
      open: () => Promise.reject(new Error('nothing is spoken here')),
      close: async () => {},
    } as never,
  });
  messages.add(drained(tracks.captions));
  async function read() {
    for await (const message of messages) told.push(...linesOf(message));
  }
  return { said, tracks, told, change: (...names) => tracks.change(terms(names)), ended: read() };
}

async function* drained(captions: AsyncIterable<CaptionUpdate>): AsyncGenerator<ServerMessage> {
  for await (const { concluded } of captions) if (concluded.length < 0) yield { end_of_stream: {} };
}

function linesOf(message: ServerMessage): string[] {
  if ('end_of_target_transcript' in message)
    return [`${message.end_of_target_transcript.language}.`];
  if (!('target_transcript_update' in message)) return [];
  const { language, concluded, tentative } = message.target_transcript_update;
  return [
    ...concluded.map(({ text }) => `${language}: ${text}`),
    ...tentative.map(({ text }) => `${language}~ ${text}`),
  ];
}

const concludedIn = ({ told }: Stage, language: string) =>
  told.filter((line) => line.startsWith(`${language}: `) || line === `${language}.`);

it('a language that is added is told the sentence that is being said, whole', async () => {
  const live = stage('es');
  live.said.push(saying('One', 'Zero.'));
  await until(() => live.told.includes('es~  One/es'));
  live.change('es', 'fr');
  live.said.push(saying(undefined, 'One two.'));
  await until(() => live.told.includes('fr: One two./fr'));
  live.said.end();
  await live.ended;
  expect(concludedIn(live, 'es')).toEqual(['es: Zero./es', 'es:  One two./es']);
  expect(concludedIn(live, 'fr')).toEqual(['fr: One two./fr']);
});

it('a language that goes is told the sentence that is being said, and its end', async () => {
  const live = stage('es', 'fr');
  live.said.push(saying('One'));
  await until(() => live.told.includes('es~ One/es'));
  live.change('fr');
  live.said.push(saying('One two'));
  live.said.push(saying('Four', 'One two.', 'Three.'));
  live.said.push(saying(undefined, 'Four.'));
  live.said.end();
  await live.ended;
  expect(concludedIn(live, 'es')).toEqual(['es: One two./es', 'es.']);
  expect(concludedIn(live, 'fr')).toEqual(['fr: One two./fr', 'fr:  Three./fr', 'fr:  Four./fr']);
});

it('ends at once where nothing is being said, and after what waits for its translation', async () => {
  const live = stage('es');
  live.said.push(saying(undefined, 'One.'));
  live.said.push(saying(undefined, 'Two.'));
  await until(() => live.told.length > 0);
  live.change();
  await until(() => live.told.includes('es.'));
  expect(live.told).toEqual(['es: One./es', 'es:  Two./es', 'es.']);
  live.said.push(saying(undefined, 'Three.'));
  live.said.end();
  await live.ended;
  expect(live.told).toHaveLength(3);
});

it('ends too when the sentence is taken back', async () => {
  const live = stage('es');
  live.said.push(saying('Hm'));
  await until(() => live.told.includes('es~ Hm/es'));
  live.change();
  live.said.push(saying(undefined));
  await until(() => live.told.includes('es.'));
  live.said.end();
  await live.ended;
});

it('goes on as if nothing had been when it is wanted again in the same sentence', async () => {
  const live = stage('es');
  live.said.push(saying('One'));
  await until(() => live.told.includes('es~ One/es'));
  live.change();
  live.change('es');
  live.said.push(saying('Two', 'One.'));
  live.said.push(saying(undefined, 'Two.'));
  live.said.end();
  await live.ended;
  expect(concludedIn(live, 'es')).toEqual(['es: One./es', 'es:  Two./es']);
});

it('begins with a blank when it returns: all of it reads right together', async () => {
  const live = stage('es');
  live.said.push(saying(undefined, 'One.'));
  await until(() => live.told.length === 1);
  live.change();
  await until(() => live.told.includes('es.'));
  live.change('es');
  live.said.push(saying(undefined, 'Two.'));
  live.said.end();
  await live.ended;
  expect(live.told).toEqual(['es: One./es', 'es.', 'es:  Two./es']);
});

it('no more than five languages finish a sentence, however many came and went in it', async () => {
  const live = stage('es');
  live.said.push(saying('One'));
  await until(() => live.told.includes('es~ One/es'));
  const spellings = Array.from({ length: 1_000 }, (_, number) => `x${number}`);
  for (const spelling of spellings) live.change(spelling);
  live.change('fr');
  live.said.push(saying(undefined, 'One.'));
  live.said.end();
  await live.ended;
  const finished = live.told.filter((line) => line.includes(': One.'));
  expect(finished).toEqual(
    [995, 996, 997, 998, 999].map((number) => `x${number}: One./x${number}`).concat('fr: One./fr'),
  );
  expect(live.told.filter((line) => line.endsWith('.') && !line.includes(':'))).toHaveLength(1_001);
});

it('nothing changes after the last word', async () => {
  const live = stage('es');
  live.said.end();
  await live.ended;
  expect(live.change('fr')).toBe(false);
  expect(live.tracks.terms.targets.map(({ requested }) => requested)).toEqual(['es']);
});
