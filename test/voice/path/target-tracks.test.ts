/** Target languages that are added and removed while somebody speaks. */
import { afterAll, describe, expect, it } from 'vitest';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import type { CaptionSegment, CaptionUpdate } from '../../../server/voice/path/captions.ts';
import { createChannel, merge, type Channel } from '../../../server/voice/path/streams.ts';
import {
  createTargetTracks,
  type RequestedSpeech,
  type TargetTracks,
} from '../../../server/voice/path/target-tracks.ts';
import { createSpeechEncoders } from '../../../server/voice/audio/encode.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { until } from '../../support/product/server.ts';
import { formatOf, hummingEngine } from './synthesise-support.ts';

interface Stage {
  said: Channel<CaptionUpdate>;
  tracks: TargetTracks;
  /** Received messages as short lines: `es: text`, `es~ tentative text`, `es.` for an end. */
  told: string[];
  /** Changes the targets while the first sentence of the next update is being said. */
  change(...targets: string[]): boolean;
  changeAt(atMs: number, ...targets: string[]): boolean;
  /** Changes the targets and the spoken language. */
  speak(speech: RequestedSpeech | undefined, ...targets: string[]): boolean;
  ended: Promise<void>;
}

const encoders = await createSpeechEncoders({ log: recordLog() });
afterAll(() => encoders.close());

const signal = new AbortController().signal;
/** Each sentence of an update begins a millisecond after the previous one. */
const segmentOf = (text: string, startMs = 0): CaptionSegment => ({
  text,
  startMs,
  endMs: startMs + 1,
  language: 'en',
});

const saying = (growing: string | undefined, ...concluded: string[]): CaptionUpdate => ({
  ...{ concluded: [], tentative: [] },
  sentences: {
    concluded: concluded.map(segmentOf),
    growing: growing === undefined ? undefined : segmentOf(growing, concluded.length),
    isUnsure: false,
  },
});

const stage = (...first: string[]): Stage => stageWith({}, ...first);

/** @param options.held awaited by every translation, which fails when it rejects */
function stageWith(
  { held, ending = signal }: { held?: Promise<void>; ending?: AbortSignal },
  ...first: string[]
): Stage {
  const said = createChannel<CaptionUpdate>();
  const messages = merge<ServerMessage>();
  const told: string[] = [];
  const terms = (names: string[], speech?: RequestedSpeech) => ({
    targets: names.map((name) => ({ requested: name, tag: name.toLowerCase() })),
    speech,
    translateText: async (text: string, { target }: { target: string }) => {
      await held;
      return `${text}/${target}`;
    },
  });
  const tracks = createTargetTracks(said, terms(first), {
    ...{ mode: 'instant', signal: ending, add: (each) => messages.add(each) },
    encoders,
  });
  messages.add(drained(tracks.captions));
  async function read() {
    for await (const message of messages) told.push(...linesOf(message));
  }
  const ended = read();
  ended.catch(() => undefined);
  return {
    ...{ said, tracks, told, ended },
    change: (...names) => tracks.change(terms(names), 1),
    changeAt: (atMs, ...names) => tracks.change(terms(names), atMs),
    speak: (speech, ...names) => tracks.change(terms(names, speech), 1),
  };
}

async function* drained(captions: AsyncIterable<CaptionUpdate>): AsyncGenerator<ServerMessage> {
  for await (const { concluded } of captions)
    if (concluded.length < 0) yield { type: 'end_of_stream' };
}

function linesOf(message: ServerMessage): string[] {
  if (message.type === 'end_of_target_transcript') return [`${message.language}.`];
  if (message.type === 'end_of_target_media') return [`${message.language}♪.`];
  if (message.type === 'target_media_chunk') {
    const { language, text, content_type: type } = message;
    return text === undefined
      ? []
      : [`${language}♪ ${text}${type === undefined ? '' : ` ${type}`}`];
  }
  if (message.type !== 'target_transcript_update') return [];
  const { language, concluded, tentative } = message;
  return [
    ...concluded.map(({ text }) => `${language}: ${text}`),
    ...tentative.map(({ text }) => `${language}~ ${text}`),
  ];
}

/** Lets all work run that waits for nothing external. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function withResolvers() {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((...settle) => ([resolve, reject] = settle));
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

const concludedIn = ({ told }: Stage, language: string) =>
  told.filter((line) => line.startsWith(`${language}: `) || line === `${language}.`);

it('sends the whole current sentence to a language that is added during it', async () => {
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

it('sends the rest of the current sentence and an end to a language that is removed', async () => {
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

it('sends all sentences of the utterance that began before a language was removed', async () => {
  const live = stage('es');
  live.said.push(saying('One. Two. Thr'));
  await until(() => live.told.includes('es~ One. Two. Thr/es'));
  live.changeAt(3);
  live.said.push(saying('Three', 'One.', 'Two.'));
  for (const text of ['Three.', 'Four.']) live.said.push(saying(undefined, text));
  live.said.end();
  await live.ended;
  const last = ['One.', ' Two.', ' Three.'].map((text) => `es: ${text}/es`);
  expect(concludedIn(live, 'es')).toEqual([...last, 'es.']);
});

it('ends a removed language after its pending translations when no sentence is under way', async () => {
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

it('ends a removed language when its current sentence is taken back', async () => {
  const live = stage('es');
  live.said.push(saying('Hm'));
  await until(() => live.told.includes('es~ Hm/es'));
  live.change();
  live.said.push(saying(undefined));
  await until(() => live.told.includes('es.'));
  live.said.end();
  await live.ended;
});

it('continues without interruption when a language is added again within the same sentence', async () => {
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

it('begins with a blank when a language returns, so that its text can be concatenated', async () => {
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

describe('a language that is added again while its last sentences are being translated', () => {
  async function leaving(held: Promise<void>): Promise<Stage> {
    const live = stageWith({ held }, 'es', 'fr');
    for (const text of ['One.', 'Two.']) {
      live.said.push(saying(undefined, text));
      await turn();
    }
    live.change('fr');
    await turn();
    return live;
  }

  it('continues in order and with its blank, without an end in between', async () => {
    const { promise: held, resolve: release } = withResolvers();
    const live = await leaving(held);
    live.change('es', 'fr');
    live.said.push(saying('Three'));
    await turn();
    live.said.push(saying(undefined, 'Three.'));
    await turn();
    release();
    await until(() => live.told.includes('es:  Three./es'));
    live.said.end();
    await live.ended;
    expect(concludedIn(live, 'es')).toEqual(['es: One./es', 'es:  Two./es', 'es:  Three./es']);
    expect(concludedIn(live, 'fr')).toHaveLength(3);
  });

  it('receives all sentences said while it was a target, and one end, however often it is removed', async () => {
    const { promise: held, resolve: release } = withResolvers();
    const live = await leaving(held);
    for (let round = 0; round < 50; round += 1) {
      live.change('es', 'fr');
      live.said.push(saying(`In ${round}`));
      await turn();
      live.said.push(saying(undefined, `In ${round}.`));
      // Alternates between after the sentence and within it.
      if (round % 2 === 0) await turn();
      live.change('fr');
      live.said.push(saying(undefined, `Out ${round}.`));
      await turn();
    }
    release();
    live.said.end();
    await live.ended;
    const wanted = Array.from({ length: 50 }, (_, round) => `In ${round}.`);
    expect(concludedIn(live, 'es')).toEqual([
      'es: One./es',
      ...['Two.', ...wanted].map((text) => `es:  ${text}/es`),
      'es.',
    ]);
    expect(concludedIn(live, 'fr')).toHaveLength(102);
  });

  it('is completed when the speech ends meanwhile', async () => {
    const { promise: held, resolve: release } = withResolvers();
    const live = await leaving(held);
    live.change('es', 'fr');
    live.said.push(saying(undefined, 'Three.'));
    live.said.end();
    await turn();
    expect(live.change('fr')).toBe(false);
    release();
    await live.ended;
    expect(concludedIn(live, 'es')).toEqual(['es: One./es', 'es:  Two./es', 'es:  Three./es']);
  });

  it('fails with its translation, and ends with the session', async () => {
    const { promise: held, reject: fail } = withResolvers();
    const live = await leaving(held);
    live.change('es', 'fr');
    fail(new Error('the engine is gone'));
    await expect(live.ended).rejects.toThrow('the engine is gone');

    const ending = new AbortController();
    const hanging = new Promise<void>((_, reject) =>
      ending.signal.addEventListener('abort', () => reject(new Error('aborted'))),
    );
    const other = stageWith({ held: hanging, ending: ending.signal }, 'es');
    other.said.push(saying(undefined, 'One.'));
    await turn();
    other.change();
    await turn();
    other.change('es');
    ending.abort(new Error('the session is over'));
    await expect(other.ended).rejects.toThrow('the session is over');
  });

  it('has a new voice that speaks what is concluded from then on, after the previous voice has ended', async () => {
    const { promise: held, resolve: release } = withResolvers();
    const live = stageWith({ held }, 'es');
    live.speak(voiceFor('es'), 'es');
    live.said.push(saying(undefined, 'One.'));
    await turn();
    live.speak(undefined);
    await turn();
    live.speak(voiceFor('es'), 'es');
    live.said.push(saying(undefined, 'Two.'));
    await turn();
    release();
    live.said.end();
    await live.ended;
    expect(spoken(live)).toEqual(['es♪.', `es♪ One./es ${ENCODING}`, 'es♪  Two./es']);
  });
});

it('lets at most five removed languages finish a sentence', async () => {
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

it('rejects changes after the end of speech', async () => {
  const live = stage('es');
  live.said.end();
  await live.ended;
  expect(live.change('fr')).toBe(false);
  expect(live.tracks.terms.targets.map(({ requested }) => requested)).toEqual(['es']);
});

const ENCODING = 'audio/pcm;encoding=s16le;rate=16000';

function voiceFor(language: string): RequestedSpeech {
  return {
    target: { requested: language, tag: language },
    ...{ format: formatOf(ENCODING), gender: undefined, engine: hummingEngine() },
  };
}

const spoken = ({ told }: Stage) => told.filter((line) => line.includes('♪'));

it('lets voices speak one after the other and skips a voice that was replaced before its turn', async () => {
  const live = stage('es', 'fr');
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow = hummingEngine(() => held);
  const first = { ...voiceFor('es'), engine: slow };
  live.speak(first, 'es', 'fr');
  live.said.push(saying(undefined, 'One.'));
  await until(() => slow.spoken.length === 1);
  live.said.push(saying(undefined, 'Two.'));
  await until(() => live.told.includes('fr:  Two./fr') && live.told.includes('es:  Two./es'));
  for (let round = 0; round < 1_000; round += 1) live.speak(voiceFor('es'), 'es', 'fr');
  live.speak(voiceFor('fr'), 'es', 'fr');
  live.said.push(saying(undefined, 'Three.'));
  await until(() => live.told.includes('fr:  Three./fr'));
  release();
  live.said.end();
  await live.ended;
  expect(spoken(live)).toEqual([
    `es♪ One./es ${ENCODING}`,
    'es♪  Two./es',
    'es♪.',
    `fr♪  Three./fr ${ENCODING}`,
  ]);
});

it('keeps a voice when other languages change, and ends it with its own language', async () => {
  const live = stage('es');
  const voice = voiceFor('es');
  live.speak(voice, 'es');
  live.said.push(saying(undefined, 'One.'));
  await until(() => spoken(live).length === 1);
  live.speak({ ...voice, format: formatOf(ENCODING) }, 'es', 'fr');
  live.said.push(saying(undefined, 'Two.'));
  await until(() => spoken(live).length === 2);
  live.speak(undefined, 'fr');
  live.said.push(saying(undefined, 'Three.'));
  live.said.end();
  await live.ended;
  expect(spoken(live)).toEqual([`es♪ One./es ${ENCODING}`, 'es♪  Two./es', 'es♪.']);
  expect(concludedIn(live, 'fr')).toEqual(['fr: Two./fr', 'fr:  Three./fr']);
});
