/** What the demo page offers: the languages that work here and a sample for people without a microphone. */
import { documentFormat, documentFormats } from '../../shared/document-formats.ts';
import { ServiceError } from '../../shared/errors.ts';
import { canonicalLanguage } from '../../shared/language.ts';
import type { RecognitionEngine, SynthesisEngine, Unavailable } from '../engines/engine.ts';
import type { Translation } from './translation.ts';
import { speakableLanguages, spokenLanguages } from './voice-session-request.ts';

/** Sentences that the default engines hear and translate well. */
const SAMPLE_SENTENCES = [
  'Good morning, everybody.',
  'I would like to speak about the future of our country.',
  'My friends live in a small house near the sea.',
  'We will talk about the history of our city.',
];

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
    /** Whether a sample can be spoken. */
    sample: boolean;
    documents: DemoDocuments;
    /** Of the pairs that rules alone translate. */
    better_translations: BetterTranslation[];
    /** What is missing, and how to get it. */
    problems: string[];
  };
  /** The sample as a WAV file. @throws ServiceError engine_unavailable without a voice */
  sample(): Promise<Buffer>;
}

export interface DemoContentOptions {
  recognisers: readonly RecognitionEngine[];
  speakers: readonly SynthesisEngine[];
  translation: Translation;
  speaker: { speak(sentences: readonly string[]): Promise<Buffer> } | undefined;
  missing: readonly Unavailable[];
  /** By `source target`. */
  betterModels: () => ReadonlyMap<string, readonly { name: string; sizeMb: number }[]>;
}

export function createDemo({
  recognisers,
  speakers,
  translation,
  speaker,
  missing,
  betterModels,
}: DemoContentOptions): Demo {
  let spoken: Promise<Buffer> | undefined;
  return {
    options() {
      const sources = spokenLanguages(recognisers);
      const targets = new Set(sources.flatMap((source) => translation.targets(source)));
      return {
        source_languages: sources,
        target_languages: [...targets].sort(),
        speech_languages: speakableLanguages(speakers).filter((language) =>
          targets.has(canonicalLanguage(language) ?? ''),
        ),
        sample: speaker !== undefined,
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
      if (speaker === undefined) {
        throw new ServiceError('engine_unavailable', 'No voice is installed to speak the sample.');
      }
      spoken ??= speaker.speak(SAMPLE_SENTENCES);
      return spoken.catch((error: unknown) => {
        spoken = undefined;
        throw error;
      });
    },
  };
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
