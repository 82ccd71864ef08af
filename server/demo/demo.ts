/** What the demo page offers: the languages that work here and a sample for people without a microphone. */
import { documentFormat, documentFormats } from '../documents/formats/index.ts';
import { ServiceError } from '../../shared/errors.ts';
import { canonicalLanguage } from '../../shared/language.ts';
import { wavHeader } from '../../shared/wav.ts';
import type { RecognitionEngine, SynthesisEngine, Unavailable } from '../engines/engine.ts';
import type { Translation } from '../translation/translation.ts';
import { speakableLanguages, speakerOf, spokenLanguages } from '../voice/session/speakers.ts';

/** Sentences that the default engines hear and translate well. */
const SAMPLE_SENTENCES = [
  'Good morning, everybody.',
  'I would like to speak about the future of our country.',
  'My friends live in a small house with a big garden.',
  'We will talk about the history of our city.',
];

const PAUSE_S = 0.9;
/** A voice model that has to be loaded first takes its time. */
const SAMPLE_TIMEOUT_MS = 60_000;

/** What the page may have translated as a file. */
export interface DemoDocuments {
  /** Languages into which those of each source are translated. */
  target_languages: Record<string, string[]>;
  formats: {
    /** Endings of file names. */
    extensions: readonly string[];
    /** Endings of what can be made of it. */
    outputs: string[];
    /** Largest file, bytes. */
    max_bytes: number;
  }[];
}

/** Models that would translate a pair better than what does it now, and about what they weigh. */
export interface BetterTranslation {
  source: string;
  target: string;
  models: string[];
  size_mb: number;
}

export interface Demo {
  options(): {
    source_languages: string[];
    target_languages: string[];
    /** Those of them that can be spoken. */
    speech_languages: string[];
    /** Who speaks each of these, as people are told. */
    voices: Record<string, string>;
    /** Whether a sample can be spoken. */
    sample: boolean;
    documents: DemoDocuments;
    /** Of the pairs that rules alone translate. */
    better_translations: BetterTranslation[];
    /** What is missing, and how to get it. */
    problems: string[];
  };
  /**
   * The sample as a WAV file: s16le, one channel.
   *
   * @throws ServiceError engine_unavailable without a voice, synthesis_failed when all of them fail
   */
  sample(): Promise<Buffer>;
}

export interface DemoContentOptions {
  recognisers: readonly RecognitionEngine[];
  speakers: readonly SynthesisEngine[];
  translation: Translation;
  missing: readonly Unavailable[];
  /** By `source target`. */
  betterModels: () => ReadonlyMap<string, readonly { name: string; sizeMb: number }[]>;
}

export function createDemo({
  recognisers,
  speakers,
  translation,
  missing,
  betterModels,
}: DemoContentOptions): Demo {
  let sample: Promise<Buffer> | undefined;
  const sampleVoices = () => speakers.filter(({ languages }) => languages.includes('en'));
  return {
    options() {
      const sources = spokenLanguages(recognisers);
      const targets = new Set(sources.flatMap((source) => translation.targets(source)));
      const spoken = speakableLanguages(speakers).filter((language) =>
        targets.has(canonicalLanguage(language) ?? ''),
      );
      return {
        source_languages: sources,
        target_languages: [...targets].sort(),
        speech_languages: spoken,
        voices: Object.fromEntries(
          spoken.map((language) => [language, speakerOf(language, speakers)?.describedAs ?? '']),
        ),
        sample: sampleVoices().length > 0,
        documents: documentsOf(translation),
        better_translations: [...betterModels()].map(([pair, models]) => {
          const [source = '', target = ''] = pair.split(' ');
          const size_mb = models.reduce((sum, { sizeMb }) => sum + sizeMb, 0);
          return { source, target, models: models.map(({ name }) => name), size_mb };
        }),
        problems: missing.map(({ reason }) => reason),
      };
    },
    async sample() {
      sample ??= speakSample(sampleVoices());
      return sample.catch((error: unknown) => {
        sample = undefined;
        throw error;
      });
    },
  };
}

/** The sample by the first of the voices that does not fail. */
async function speakSample(voices: readonly SynthesisEngine[]): Promise<Buffer> {
  const [voice, ...others] = voices;
  if (voice === undefined) {
    throw new ServiceError('engine_unavailable', 'No voice is installed to speak the sample.');
  }
  try {
    return await spokenBy(voice);
  } catch (error) {
    if (!(error instanceof ServiceError) || others.length === 0) throw error;
    return speakSample(others);
  }
}

/** The sentences with a pause around each: recognisers conclude one after half a second. */
async function spokenBy(voice: SynthesisEngine): Promise<Buffer> {
  const signal = AbortSignal.timeout(SAMPLE_TIMEOUT_MS);
  const samples: Int16Array[] = [];
  let sampleRateHz = 16_000;
  for (const sentence of SAMPLE_SENTENCES) {
    const options = { language: 'en', gender: 'male', signal } as const;
    for await (const spoken of voice.speak(sentence, options)) {
      if (samples.length === 0) samples.push(new Int16Array(PAUSE_S * spoken.sampleRateHz));
      sampleRateHz = spoken.sampleRateHz;
      samples.push(spoken.samples);
    }
    samples.push(new Int16Array(PAUSE_S * sampleRateHz));
  }
  const dataBytes = samples.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const bytes = samples.map(
    (each) => new Uint8Array(each.buffer, each.byteOffset, each.byteLength),
  );
  return Buffer.concat([wavHeader({ sampleRateHz, dataBytes }), ...bytes]);
}

function documentsOf(translation: Translation): DemoDocuments {
  return {
    target_languages: Object.fromEntries(
      translation.sources().map((source) => [source, translation.targets(source)]),
    ),
    formats: documentFormats.map(({ extensions, outputs, maxBytes }) => ({
      extensions,
      outputs: outputs.map((name) => documentFormat(name).extensions[0] ?? name),
      max_bytes: maxBytes.pro,
    })),
  };
}
