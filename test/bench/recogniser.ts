/** How well, how soon and how cheaply the recogniser of every installation hears. */
import { loadavg } from 'node:os';
import type { RecognitionEngine } from '../../server/engines/engine.ts';
import { measureCaptions, type Sight } from './captions-measures.ts';
import type { Print } from './benchmarks.ts';
import { figure, median, printTable, quantile, verdict } from './figures.ts';
import { startMoonshine } from './moonshine.ts';
import { descendantsMemory } from './process-tree.ts';
import { createGrowingWindows } from './recogniser/growing-windows.ts';
import {
  asUtterance,
  chunksOf,
  endpointLags,
  hear,
  hearCalmly,
  utterancesIn,
  type Heard,
} from './recogniser/hearing.ts';
import { listenTo, type Live } from './recogniser/live-speakers.ts';
import {
  DIGITS_RECORDING,
  everyday,
  familiar,
  named,
  namingVoices,
  recordings,
  sounds,
  SPEECH_RECORDING,
  spokenBy,
  voices,
  type Spoken,
} from './recogniser/speech-samples.ts';
import { asSpoken, misheardPercent, mistakenDigits } from './recogniser/spoken-words.ts';

export const name = 'recogniser';
export const description =
  'words misheard, lag, processor time, memory and spoken terms of the recogniser that is always there';

const AIMS = {
  peopleMisheardPercent: 0,
  mistakenDigits: 0,
  voicesMisheardPercent: 2,
  wordsInSounds: 0,
  /** Eight speakers a core. */
  cpuPerAudio: 0.125,
  /** Medians. */
  finalLagS: 0.3,
  liveLagS: 1,
  memoryMb: 450,
  /** Of all that were said. */
  termsMissedShare: 0.5,
};
const SPEAKERS = [1, 4, 7, 10, 14];
const SPEAKERS_IN_MEMORY = 10;
/** Above this share of waiting for a processor, lags tell of the machine. */
const MUCH_WAITING = 0.1;

export async function run(print: Print): Promise<void> {
  const spoken = await Promise.all(voices.map((voice) => spokenBy(voice, familiar)));
  const others = await Promise.all(voices.map((voice) => spokenBy(voice, everyday)));
  const people = recordings();
  if (people.length === 0) print('SKIPPED: no recordings beside the project.');
  const startedAtMs = performance.now();
  const one = await startMoonshine(1);
  print(`The model is loaded after ${figure((performance.now() - startedAtMs) / 1000)} s.`);
  try {
    const measured = await accuracy(one, { spoken, others, people }, print);
    await nothing(one, print);
    await terms(one, spoken, print);
    await comparison(measured, print);
    await live(one, spoken, print);
  } finally {
    await one.close();
  }
  // What reads our sources, for one.
  const strangers = new Set(descendantsMemory().map(({ pid }) => pid));
  const many = await startMoonshine();
  try {
    await memory(many, { spoken, strangers }, print);
  } finally {
    await many.close();
  }
}

/** What was measured of one stream. */
type Measured = Spoken & { heard: Heard; cpuS: number; audioS: number };

async function accuracy(
  engine: RecognitionEngine,
  {
    spoken,
    others,
    people,
  }: { spoken: readonly Spoken[]; others: readonly Spoken[]; people: readonly Spoken[] },
  print: Print,
): Promise<Measured[]> {
  const measure = async (each: Spoken): Promise<Measured> => {
    const { cpuS, audioS, ...heard } = await hearCalmly(engine, each.audio);
    return { ...each, heard, cpuS, audioS };
  };
  const measured: Measured[] = [];
  for (const each of [...spoken, ...people]) measured.push(await measure(each));
  const elsewhere: Measured[] = [];
  for (const each of others) elsewhere.push(await measure(each));
  const rows = measured.map((each) => {
    const { name: label, said, heard } = each;
    const shown = `${label}, misheard`;
    if (label === DIGITS_RECORDING) {
      const count = mistakenDigits(said, heard.text);
      return [`${label}, digits lost or mistaken`, `${count}`, verdict(count, AIMS.mistakenDigits)];
    }
    const percent = misheardPercent(said, heard.text);
    const aim = label === SPEECH_RECORDING ? verdict(percent, AIMS.peopleMisheardPercent) : '';
    return [shown, `${figure(percent)} %`, aim];
  });
  const ours = measured.filter(({ name: label }) => spoken.some((each) => each.name === label));
  const all = misheardOf(ours.map(({ said, heard }) => [said, heard.text]));
  const unaimed = misheardOf(elsewhere.map(({ said, heard }) => [said, heard.text]));
  const lags = measured.flatMap(({ heard }) => endpointLags(heard));
  const lagMs = median(lags);
  rows.push(
    ['all voices, misheard', `${figure(all)} %`, verdict(all, AIMS.voicesMisheardPercent)],
    ['all voices, other sentences', `${figure(unaimed)} %`, ''],
    ['CPU s per s', figure(cost(measured)), verdict(cost(measured), AIMS.cpuPerAudio)],
    ['speakers a core at this cost', figure(1 / cost(measured)), ''],
    ['endpoint to final', seconds(lagMs), verdict(inSeconds(lagMs), AIMS.finalLagS)],
    ['endpoint to final, p95', seconds(quantile(lags, 0.95)), ''],
  );
  print('');
  print(`One speaker: ${familiar.length} sentences in each voice; lags in processor time.`);
  printTable(print, [['', '', 'aim'], ...rows]);
  for (const { name: label, said, heard } of [...measured, ...elsewhere]) {
    if (asSpoken(said) !== asSpoken(heard.text)) print(`${label} was heard as: ${heard.text}`);
  }
  return measured;
}

async function nothing(engine: RecognitionEngine, print: Print): Promise<void> {
  const rows: string[][] = [['sounds without speech', 'words', 'in partials', 'aim']];
  for (const { name: label, audio } of sounds()) {
    const { text, partialWords } = await hear(engine, asUtterance(audio));
    const words = text.split(' ').filter(Boolean).length;
    const aim = verdict(words + partialWords, AIMS.wordsInSounds);
    rows.push([label, `${words}`, `${partialWords}`, aim]);
  }
  printTable(print, rows);
}

/** Names with and without being told of them, and what that does to speech without names. */
async function terms(
  engine: RecognitionEngine,
  spoken: readonly Spoken[],
  print: Print,
): Promise<void> {
  const sentences = named.map(({ sentence }) => sentence);
  const naming = await Promise.all(namingVoices.map((voice) => spokenBy(voice, sentences)));
  const others = spoken.filter(({ name: label }) => namingVoices.some((voice) => voice === label));
  const measured = [];
  for (const spokenTerms of [[], named.map((each) => each.name)]) {
    const withNames = await heardTexts(engine, naming, spokenTerms);
    const texts = withNames.map(([, heard]) => heard.toLowerCase());
    const hits = texts.flatMap((text) =>
      named.filter((each) => text.includes(each.name.toLowerCase())),
    );
    measured.push({
      hits: hits.length,
      misheard: misheardOf(withNames),
      others: misheardOf(await heardTexts(engine, others, spokenTerms)),
    });
  }
  const [without, told] = measured;
  if (without === undefined || told === undefined) return;
  const all = named.length * naming.length;
  const percent = (value: number) => `${figure(value)} %`;
  printTable(print, [
    ['spoken terms', 'not told', 'told', 'aim'],
    [
      `names heard of ${all}`,
      ...[`${without.hits}`, `${told.hits}`],
      `missed ${verdict(all - told.hits, all * AIMS.termsMissedShare)}`,
    ],
    ['misheard in these sentences', percent(without.misheard), percent(told.misheard), ''],
    [
      'misheard in other sentences',
      ...[percent(without.others), percent(told.others)],
      `added ${verdict(told.others - without.others, 0)}`,
    ],
  ]);
}

async function heardTexts(
  engine: RecognitionEngine,
  spoken: readonly Spoken[],
  spokenTerms: readonly string[],
): Promise<[string, string][]> {
  const texts: [string, string][] = [];
  for (const { said, audio } of spoken) {
    const { signal } = new AbortController();
    const heard = await hear(engine, utterancesIn(chunksOf(audio), signal), { spokenTerms });
    texts.push([said, heard.text]);
  }
  return texts;
}

/** The way of hearing that was chosen, beside the one that any runtime offers. */
async function comparison(measured: readonly Measured[], print: Print): Promise<void> {
  const windows = await createGrowingWindows();
  const others = [];
  for (const each of measured) others.push({ ...each, windows: await windows.hear(each.audio) });
  const audioS = measured.reduce((sum, each) => sum + each.audioS, 0);
  /** Of the words; figures that somebody reads out one by one are no measure of numbers. */
  const misheard = <Each extends Measured>(
    all: readonly Each[],
    heardIn: (each: Each) => string,
  ) => {
    const texts = all.filter((each) => each.name !== DIGITS_RECORDING);
    return `${figure(misheardOf(texts.map((each) => [each.said, heardIn(each)])))} %`;
  };
  const anew = [
    misheard(others, (each) => each.windows.text),
    figure(others.reduce((sum, each) => sum + each.windows.cpuS, 0) / audioS),
  ];
  printTable(print, [
    ['the same model on the same speech', 'erasure', 'shown early', 'misheard', 'CPU s per s'],
    [
      'decoded anew each 0.5 s, everything shown',
      ...calm(others.map((each) => each.windows.everything)),
      ...anew,
    ],
    [
      'decoded anew each 0.5 s, two agree',
      ...calm(others.map((each) => each.windows.twoAgree)),
      ...anew,
    ],
    [
      'ours: agreed words kept, guesses checked',
      ...calm(measured.map(({ heard }) => heard.sights)),
      misheard(measured, ({ heard }) => heard.text),
      figure(cost(measured)),
    ],
  ]);
}

/** Erasure, and the share of the final words that were seen before they were final. */
function calm(streams: readonly (readonly Sight[])[]): string[] {
  const measures = streams.map((sights) => measureCaptions(sights));
  const final = measures.reduce((sum, each) => sum + each.final, 0);
  const deleted = measures.reduce((sum, each) => sum + each.deleted, 0);
  const words = (parts: readonly { text: string }[]) =>
    parts.flatMap(({ text }) => text.split(' ')).length;
  let early = 0;
  let told = 0;
  for (const sights of streams) {
    let shown = 0;
    for (const { concluded, tentative } of sights) {
      if (concluded.length > 0) {
        early += Math.min(shown, words(concluded));
        told += words(concluded);
      }
      shown = words(tentative);
    }
  }
  return [(deleted / final).toFixed(2), `${figure((100 * early) / told)} %`];
}

async function live(
  engine: RecognitionEngine,
  spoken: readonly Spoken[],
  print: Print,
): Promise<void> {
  const measured: Live[] = [];
  for (const speakers of SPEAKERS) measured.push(await listenTo(engine, spoken, speakers));
  print('');
  print('Speakers at the pace of speech, all in one process, which decodes on one core.');
  print('partial: from the end of its last word; final: from the endpoint; median (p95).');
  printTable(print, [
    ['speakers', 'partial', 'grew by', 'final', 'CPU s per s', 'pace', 'waited', 'load', 'lag'],
    ...measured.map((each) => [
      `${each.speakers}`,
      ...[medianAndP95(each.partialLagsMs), seconds(each.growthMs), medianAndP95(each.finalLagsMs)],
      ...[each.cpuPerAudio, each.pace].map(figure),
      ...[`${figure(each.waiting * 100)} %`, each.load.toFixed(1)],
      each.waiting > MUCH_WAITING
        ? 'not judged: other programs had the processor'
        : verdict(inSeconds(largestLagMs(each)), AIMS.liveLagS),
    ]),
  ]);
}

function largestLagMs({ partialLagsMs, finalLagsMs }: Live): number {
  return Math.max(
    ...[partialLagsMs, finalLagsMs].map((lags) => (lags.length > 0 ? median(lags) : Infinity)),
  );
}

async function memory(
  engine: RecognitionEngine,
  { spoken, strangers }: { spoken: readonly Spoken[]; strangers: ReadonlySet<number> },
  print: Print,
): Promise<void> {
  const { processes, residentBytes, proportionalBytes } = await listenTo(
    engine,
    spoken,
    SPEAKERS_IN_MEMORY,
    strangers,
  );
  const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
  const proportional = megabytes(proportionalBytes);
  printTable(print, [
    [`${SPEAKERS_IN_MEMORY} speakers, a process for each core`, 'MB', 'aim'],
    [
      `${processes} processes, shared pages once`,
      `${proportional}`,
      verdict(proportional, AIMS.memoryMb),
    ],
    ['shared pages in each of them', `${megabytes(residentBytes)}`, ''],
  ]);
  print(`The load of the machine was ${(loadavg()[0] ?? 0).toFixed(1)} at the end.`);
}

function cost(measured: readonly { cpuS: number; audioS: number }[]): number {
  const cpuS = measured.reduce((sum, each) => sum + each.cpuS, 0);
  return cpuS / measured.reduce((sum, each) => sum + each.audioS, 0);
}

/** Words misheard in all of several texts, in percent: what was said, and what was heard. */
function misheardOf(texts: readonly (readonly [string, string])[]): number {
  let wrong = 0;
  let count = 0;
  for (const [said, heard] of texts) {
    const words = asSpoken(said).split(' ').length;
    wrong += (misheardPercent(said, heard) / 100) * words;
    count += words;
  }
  return (100 * wrong) / count;
}

function medianAndP95(lagsMs: readonly number[]): string {
  return lagsMs.length === 0
    ? 'none'
    : `${seconds(median(lagsMs))} (${seconds(quantile(lagsMs, 0.95))})`;
}

function seconds(ms: number): string {
  return Number.isNaN(ms) ? 'unknown' : `${inSeconds(ms).toFixed(2)} s`;
}

function inSeconds(ms: number): number {
  return Number((ms / 1000).toFixed(2));
}
