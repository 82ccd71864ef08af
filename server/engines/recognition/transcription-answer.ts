/** What servers with OpenAI's transcription interface answer, as a transcript. Pure. */
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Word } from '../engine.ts';
import type { Transcript } from './batch-recogniser.ts';
import { languageNamed } from './spoken-languages.ts';

const Times = { start: Type.Number(), end: Type.Number() };
const TimedWord = Type.Object({ word: Type.String(), ...Times });
const Segment = Type.Object({
  ...Times,
  no_speech_prob: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  avg_logprob: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  words: Type.Optional(Type.Union([Type.Array(TimedWord), Type.Null()])),
});

const textOnly = Compile(Type.Object({ text: Type.String() }));
const named = Compile(Type.Object({ language: Type.String() }));
const worded = Compile(Type.Object({ words: Type.Array(TimedWord, { minItems: 1 }) }));
const segmented = Compile(Type.Object({ segments: Type.Array(Segment, { minItems: 1 }) }));

/** Whisper's own bounds for silence in which it believes to hear words. */
const NO_SPEECH_PROBABILITY = 0.6;
const UNLIKELY_LOG_PROBABILITY = -1;

/**
 * Reads the formats `json` and `verbose_json`, the latter with words at the top (OpenAI), in segments
 * (faster-whisper, whisper.cpp) or not at all; undefined when it is neither.
 */
export function readTranscription(answer: unknown): Transcript | undefined {
  if (!textOnly.Check(answer)) return undefined;
  const segments = segmented.Check(answer) ? answer.segments : [];
  const language = named.Check(answer) ? languageNamed(answer.language) : undefined;
  const detected = language !== undefined && { language };
  if (segments.length > 0 && segments.every(isSilence)) return { text: '', ...detected };
  const [first, last] = [segments[0], segments.at(-1)];
  return {
    text: answer.text,
    words: wordsOf(worded.Check(answer) ? answer.words : segments.flatMap((s) => s.words ?? [])),
    ...(first !== undefined && { startMs: first.start * 1000 }),
    ...(last !== undefined && { endMs: last.end * 1000 }),
    ...detected,
  };
}

function isSilence({ no_speech_prob: none, avg_logprob: likely }: Static<typeof Segment>): boolean {
  return (none ?? 0) > NO_SPEECH_PROBABILITY && (likely ?? 0) < UNLIKELY_LOG_PROBABILITY;
}

function wordsOf(words: readonly Static<typeof TimedWord>[]): Word[] {
  return words.map(({ word, start, end }) => ({
    text: word,
    startMs: start * 1000,
    endMs: end * 1000,
  }));
}
