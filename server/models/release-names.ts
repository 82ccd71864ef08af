/** Tells what a plain release of sherpa-onnx is by the names of its folder and its files. */
import { likeliestFile, modelFamilies } from './families.ts';
import type { ModelDescription } from './local-model.ts';
import { multilingual } from './multilingual.ts';

/** Words in the names of folders, the most telling first, and the family each means. */
const familiesByName: readonly (readonly [RegExp, string])[] = [
  [/^sherpa-onnx-online-punct/, 'online-punctuation'],
  [/punct/, 'punctuation'],
  [/^vits-|piper/, 'vits'],
  [/^matcha-/, 'matcha'],
  [/^kokoro-/, 'kokoro'],
  [/^kitten-/, 'kitten'],
  [/streaming.*t-one/, 'streaming-tone-ctc'],
  [/streaming.*paraformer/, 'streaming-paraformer'],
  [/streaming.*zipformer.*ctc/, 'streaming-zipformer-ctc'],
  [/streaming.*nemo.*ctc|nemo-streaming.*ctc/, 'streaming-nemo-ctc'],
  [/streaming/, 'streaming-transducer'],
  [/whisper/, 'whisper'],
  [/sense-voice/, 'sense-voice'],
  [/moonshine/, 'moonshine-v1'],
  [/canary/, 'canary'],
  [/fire-red/, 'fire-red-asr'],
  [/dolphin/, 'dolphin'],
  [/paraformer/, 'paraformer'],
  [/nemo.*ctc/, 'nemo-ctc'],
  [/nemo/, 'nemo-transducer'],
  [/zipformer.*ctc/, 'zipformer-ctc'],
  [/zipformer|transducer|conformer/, 'transducer'],
];

/** Families whose text has capitals and punctuation. */
const PUNCTUATING = /whisper|sense-voice|moonshine|canary|parakeet|nemotron/;

/**
 * What a release is: family by its name, if its files bear that out, and languages by its name.
 * Undefined when either cannot be told for certain.
 */
export function describeRelease(
  name: string,
  entries: readonly string[],
): ModelDescription | undefined {
  const family = familiesByName.find(([pattern]) => pattern.test(name))?.[1];
  if (family === undefined) return undefined;
  const { kind, roles } = modelFamilies[family] ?? { kind: 'recognition', roles: {} };
  const isComplete = Object.values(roles).every(
    (role) => role.isOptional === true || likeliestFile(entries, role) !== undefined,
  );
  const languages = languagesOf(name);
  if (!isComplete || languages.length === 0) return undefined;
  const detectsLanguage = languages.length > 1 && /whisper|sense-voice|nemotron/.test(name);
  return {
    ...{ kind, family, languages },
    ...(kind === 'recognition' && { detectsLanguage, punctuates: PUNCTUATING.test(name) }),
  };
}

/** Names of languages in full, as some releases have them. */
const spelled: Readonly<Record<string, string>> = {
  english: 'en',
  chinese: 'zh',
  french: 'fr',
  german: 'de',
  korean: 'ko',
  russian: 'ru',
  spanish: 'es',
  vi: 'vi',
};
const codes = new Set(multilingual.whisper);

/** Base languages that the parts of a name stand for: `en_US`, `zh-en`, `sherpa-onnx-whisper-tiny`. */
function languagesOf(name: string): string[] {
  if (/whisper/.test(name)) return /\.en\b/.test(name) ? ['en'] : [...multilingual.whisper];
  if (/nemotron-3\.5/.test(name)) return [...multilingual.nemotron];
  if (/parakeet-tdt-0\.6b-v3/.test(name)) return [...multilingual.european];
  const parts = name.split('-').map((part) => part.split('_', 1)[0] ?? '');
  const known = parts.map((part) => spelled[part] ?? part).filter((part) => codes.has(part));
  return [...new Set(known)];
}
