/** How well the voices that run here are understood, by the first recogniser that hears English. */
import { listen } from '../support/audio/heard.ts';
import type * as Config from '../../server/config.ts';
import type {
  RecognitionEngine,
  SpeechPiece,
  SynthesisEngine,
  VoiceGender,
} from '../../server/engines/engine.ts';
import type * as RunningEngines from '../../server/running-engines.ts';
import type * as Metrics from '../../server/operation/metrics.ts';
import type * as Resampling from '../../shared/resampler.ts';
import type * as Listen from '../../server/voice/audio/listen.ts';
import { wordErrorRate } from '../support/audio/word-error-rate.ts';
import type { Print } from './benchmarks.ts';
import { importBuilt, quietLog } from './built.ts';
import { figure, printTable } from './figures.ts';
import { descendantsCpuS } from './process-tree.ts';
import { sentences } from './sentences.ts';

export const name = 'voices';
export const description = 'words of each English voice that a recogniser mishears';

const RATE_HZ = 16_000;
const CHUNK_BYTES = RATE_HZ / 5;
/** As a session has it that asks for nothing else. */
const ENDPOINTING = { silenceMs: 600, longestMs: 15_000 };
const LANGUAGES = ['en-US', 'en-GB'];
const GENDERS: readonly VoiceGender[] = ['female', 'male'];

export async function run(print: Print): Promise<void> {
  const { readConfig } = await importBuilt<typeof Config>('server/config.ts');
  const { startEngines } = await importBuilt<typeof RunningEngines>('server/running-engines.ts');
  const { createMetrics } = await importBuilt<typeof Metrics>('server/operation/metrics.ts');
  const log = quietLog as unknown as Parameters<typeof startEngines>[1];
  // With the same settings and models as the server would have.
  const engines = await startEngines(readConfig(), log, createMetrics().engines);
  try {
    const recogniser = engines.recognition.find(({ languages }) => languages.includes('en'));
    if (recogniser === undefined) throw new Error('No recogniser hears English.');
    const speakers = engines.synthesis.filter(({ languages }) => languages.includes('en'));
    const rows: string[][] = [['', 'misheard', 'CPU s per s']];
    for (const speaker of speakers) rows.push(...(await rowsOf(speaker, recogniser)));
    print(`${sentences.length} sentences, heard by ${recogniser.name}`);
    printTable(print, rows);
  } finally {
    await engines.close();
  }
}

async function rowsOf(speaker: SynthesisEngine, recogniser: RecognitionEngine) {
  const rows: string[][] = [];
  for (const language of LANGUAGES) {
    for (const gender of GENDERS) {
      const spoken = await spokenBy(speaker, { language, gender });
      const heard = await hear(recogniser, spoken.audio);
      const share = wordErrorRate(sentences.join(' '), heard);
      const voice = `${speaker.name} ${language} ${gender}`;
      rows.push([voice, `${figure(share * 100)} %`, figure(spoken.cpuPerS)]);
    }
  }
  return rows;
}

const silence = (lengthS: number) => new Int16Array(RATE_HZ * lengthS);

/** All sentences at 16 kHz, with pauses between them. */
async function spokenBy(
  speaker: SynthesisEngine,
  voice: { language: string; gender: VoiceGender },
): Promise<{ audio: Uint8Array; cpuPerS: number }> {
  const { createRateConverter } = await importBuilt<typeof Resampling>('shared/resampler.ts');
  const { signal } = new AbortController();
  const pieces: Int16Array[] = [silence(1)];
  let cpuS = 0;
  let spokenS = 0;
  for (const sentence of sentences) {
    const before = descendantsCpuS();
    const said: Int16Array[] = [];
    let fromHz = RATE_HZ;
    for await (const { samples, sampleRateHz } of speaker.speak(sentence, { ...voice, signal })) {
      said.push(samples);
      fromHz = sampleRateHz;
      spokenS += samples.length / sampleRateHz;
    }
    cpuS += descendantsCpuS() - before;
    const converter = createRateConverter(RATE_HZ, (samples) => pieces.push(samples.slice()));
    for (const samples of said) converter.push(samples, fromHz);
    converter.flush();
    pieces.push(silence(1));
  }
  const audio = Buffer.concat(pieces.map((each) => Buffer.from(each.buffer)));
  return { audio, cpuPerS: cpuS / spokenS };
}

async function* chunksOf(audio: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < audio.length; at += CHUNK_BYTES) yield audio.slice(at, at + CHUNK_BYTES);
}

/** All that is understood, as the voice path would have it heard. */
async function hear(engine: RecognitionEngine, audio: Uint8Array): Promise<string> {
  const { createListener } = await importBuilt<typeof Listen>('server/voice/audio/listen.ts');
  const { signal } = new AbortController();
  async function* utterances(): AsyncGenerator<SpeechPiece> {
    for await (const piece of listen(chunksOf(audio), ENDPOINTING, createListener)) {
      if (piece.kind !== 'silence') yield piece;
    }
  }
  const options = { language: 'en', languageMode: 'fixed', spokenTerms: [], signal } as const;
  const heard: string[] = [];
  for await (const each of engine.recognise(utterances(), options)) {
    if (each.kind === 'final') heard.push(each.text);
  }
  return heard.join(' ');
}
