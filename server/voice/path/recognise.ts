/** Recognition: chooses the recogniser and determines the language of what it hears. */
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type {
  Detection,
  Recognition,
  RecognitionEngine,
  RecognitionOptions,
  SpeechPiece,
} from '../../engines/engine.ts';
import { linkAbort } from '../../process/concurrency.ts';
import type { HeardPiece } from '../audio/endpointing.ts';
import type { RestPlace } from '../audio/media.ts';
import { writtenTogether } from './captions.ts';
import { createSpeechTape, type SpeechTape } from './speech-tape.ts';
import { createChannel, type Channel } from './streams.ts';

/** The spoken language that a client requests. */
export interface RequestedSource {
  /** As the client wrote it; undefined when none was requested. */
  requested: string | undefined;
  tag: LanguageTag | undefined;
  /** `hint` may be overridden by what is heard; `fixed` holds in any case. */
  mode: 'hint' | 'fixed';
}

/** A recognition with its language. */
export type HeardText = Recognition & {
  language: LanguageTag;
  /** Whether the text has capitals and punctuation. */
  punctuated: boolean;
};

/** Silence after an utterance, reported while it lasts; finals of the utterance may still follow. */
export interface Pause {
  kind: 'pause';
  /** Start and end of the utterance before the silence. */
  utteranceStartMs: number;
  endpointMs: number;
  /** Position up to which the silence has lasted. */
  atMs: number;
}

/** A resume point: everything said before it has been reported, so another server can continue there. */
export interface RestHeard {
  kind: 'rest';
  place: RestPlace;
  /** Last utterance before the resume point. */
  utterance: Omit<Pause, 'kind' | 'atMs'> | undefined;
  /** Language of the recogniser, and the language found or suspected so far. */
  listening: { language?: LanguageTag; found?: LanguageTag };
}

export interface RecogniseOptions {
  /** Tracks resume points; undefined for a single server. */
  rests?: Rests | undefined;
  /** In order of preference; at least one supports the requested language, or any if none is requested. */
  recognisers: readonly RecognitionEngine[];
  source: RequestedSource;
  spokenTerms: SpokenTerms;
  /** Detects the language of a text. */
  detectLanguage: (text: string) => Detection;
  signal: AbortSignal;
}

/** Words that are likely to be said; they may change while a recogniser is listening. */
export interface SpokenTerms {
  readonly now: readonly string[];
  change(terms: readonly string[]): void;
  /** Called on changes; replaces the previous listener. */
  onChange: () => void;
}

export function createSpokenTerms(terms: readonly string[]): SpokenTerms {
  const spokenTerms = {
    now: terms,
    change(next: readonly string[]) {
      const isSame =
        next.length === spokenTerms.now.length &&
        next.every((term, index) => term === spokenTerms.now[index]);
      if (isSame) return;
      spokenTerms.now = next;
      spokenTerms.onChange();
    },
    onChange: () => undefined,
  };
  return spokenTerms;
}

/** A recogniser and the language it listens for; undefined when the recogniser detects it. */
interface Listening {
  engine: RecognitionEngine;
  language: LanguageTag | undefined;
}

/**
 * Recognises a stream with the preferred recogniser for the requested language or, without one, with a
 * recogniser that detects the language. When the recogniser cannot detect languages and the language is
 * not fixed, the texts of finals are examined: once two in a row agree on another language, a recogniser
 * for that language takes over with the next utterance. A change of spoken terms restarts the same
 * recogniser in the same way.
 *
 * @throws ServiceError engine_unavailable when no recogniser supports the language; errors of the
 *   recogniser; the signal's reason when aborted
 */
export async function* recognise(
  pieces: AsyncIterable<HeardPiece>,
  options: RecogniseOptions,
): AsyncGenerator<HeardText | Pause | RestHeard> {
  const { rests } = options;
  const first = firstListening(options);
  const heard = createChannel<HeardText | Pause | RestHeard>();
  rests?.tellTo((rest) => heard.push(rest));
  const speech = withoutMarks(pieces, rests, (pause) => heard.push(pause));
  const session = new AbortController();
  const hearing =
    first.engine.usesSpokenTerms || canChange(first, options)
      ? hearChanging(speech, { ...options, first, heard, session: session.signal })
      : hear(speech, { ...options, ...first, heard, session: session.signal });
  hearing.then(
    () => heard.end(),
    (error: unknown) => heard.fail(error),
  );
  try {
    yield* heard;
  } finally {
    session.abort();
  }
}

function firstListening({ recognisers, source, rests }: RecogniseOptions): Listening {
  const { tag } = source;
  const before = rests?.resumed?.listening.language;
  const same = recognisers.find(
    ({ languages }) => before !== undefined && languages.includes(before),
  );
  if (same !== undefined) return { engine: same, language: before };
  if (tag !== undefined) {
    const engine = recognisers.find(({ languages }) => languages.includes(baseLanguage(tag)));
    if (engine !== undefined) return { engine, language: baseLanguage(tag) };
  } else {
    const detecting = recognisers.find(({ detectsLanguage }) => detectsLanguage);
    if (detecting !== undefined) return { engine: detecting, language: undefined };
    const [engine] = recognisers;
    if (engine?.languages[0] !== undefined) return { engine, language: engine.languages[0] };
  }
  throw new ServiceError('engine_unavailable', `No recogniser hears ${tag ?? 'any language'}.`);
}

/** Whether a change of language can be noticed and acted on. */
function canChange({ engine }: Listening, { recognisers, source }: RecogniseOptions): boolean {
  return source.mode === 'hint' && !engine.detectsLanguage && heardLanguages(recognisers).size > 1;
}

function heardLanguages(recognisers: readonly RecognitionEngine[]): Set<LanguageTag> {
  return new Set(recognisers.flatMap(({ languages }) => languages));
}

interface HearOptions extends RecogniseOptions {
  heard: Channel<HeardText | Pause | RestHeard>;
  /** Aborted when the results are no longer read. */
  session: AbortSignal;
}

/** Runs one recogniser from beginning to end. */
async function hear(
  speech: AsyncIterable<SpeechPiece>,
  { engine, language, heard, ...options }: HearOptions & Listening,
): Promise<void> {
  const { source, rests } = options;
  const judge = judgeFor({ engine, language }, { ...options, watches: false });
  const onHeard = rests && ((untilMs: number) => rests.heardUntil(untilMs, language, judge.found));
  await listenWith(speech, { engine, language }, { ...options, onHeard }, (recognition) => {
    heard.push(labelled(recognition, { ...judge(recognition), engine, source }));
    return true;
  });
}

/** Runs one recogniser after another, each for the language and the spoken terms of its time. */
async function hearChanging(
  speech: AsyncIterable<SpeechPiece>,
  { first, ...options }: HearOptions & { first: Listening },
): Promise<void> {
  const tape = createSpeechTape(speech);
  const watches = canChange(first, options);
  try {
    let next: (Listening & { from: number }) | undefined = { ...first, from: 0 };
    while (next !== undefined) next = await hearUntilChange(tape, next, { ...options, watches });
  } finally {
    tape.close();
  }
}

/** Runs a recogniser until a change; returns its successor and where that starts; undefined at the end. */
async function hearUntilChange(
  tape: SpeechTape,
  { engine, language, from }: Listening & { from: number },
  { heard, watches, ...options }: HearOptions & { watches: boolean },
): Promise<(Listening & { from: number }) | undefined> {
  const { source, recognisers, spokenTerms, rests } = options;
  const playback = tape.play(from);
  const judge = judgeFor({ engine, language }, { ...options, watches });
  let next: (Listening & { from: number }) | undefined;
  const goOn = (listening: Listening, utterance: number): void => {
    next = { ...listening, from: next?.from ?? utterance };
    playback.stopAfter(next.from - 1);
  };
  spokenTerms.onChange = () => {
    if (engine.usesSpokenTerms && next === undefined) goOn({ engine, language }, tape.count);
  };
  const onHeard = (untilMs: number): void => {
    // Reports about utterances that belong to the successor are ignored.
    if (next !== undefined && tape.utteranceAt(untilMs - 1) >= next.from) return;
    // The successor may listen for another language.
    if (next === undefined) rests?.heardUntil(untilMs, language, judge.found);
    else rests?.heardUntil(untilMs, next.language, undefined);
  };
  const listening = { ...options, onHeard: rests && onHeard };
  await listenWith(playback.speech, { engine, language }, listening, (recognition) => {
    const utterance = tape.utteranceAt(recognition.startMs);
    // The recogniser was fed beyond its last utterance, because the final that led to the change came
    // late.
    if (next !== undefined && utterance >= next.from) return false;
    tape.forgetBefore(utterance);
    const { language: found, isConfirmed } = judge(recognition);
    heard.push(labelled(recognition, { language: found, engine, source }));
    if (isConfirmed && (next === undefined || next.language === language)) {
      const suitable = [engine, ...recognisers].find(({ languages }) => languages.includes(found));
      goOn({ engine: suitable ?? engine, language: found }, utterance + 1);
    }
    return true;
  });
  return next;
}

/** Determines the language of a recognition, and whether the spoken language has changed. */
interface Judge {
  (recognition: Recognition): { language: LanguageTag; isConfirmed: boolean };
  /** Language found or suspected so far. */
  found?: LanguageTag | undefined;
}

function judgeFor(
  { engine, language }: Listening,
  { watches, ...options }: RecogniseOptions & { watches: boolean },
): Judge {
  const found = options.rests?.takeFound();
  if (watches) {
    const spoken = language ?? 'und';
    const watch = watchFor(engine, spoken, { ...options, found });
    const watching: Judge = ({ kind, text }) => {
      if (kind !== 'final') return { language: spoken, isConfirmed: false };
      const judged = watch.judge(text);
      watching.found = watch.suspected;
      return judged;
    };
    watching.found = found;
    return watching;
  }
  const judge: Judge = (recognition) => {
    if (options.source.mode === 'hint') judge.found = recognition.language ?? judge.found;
    return { language: judge.found ?? 'und', isConfirmed: false };
  };
  judge.found = found ?? language ?? engine.languages[0];
  return judge;
}

function watchFor(
  engine: RecognitionEngine,
  language: LanguageTag,
  {
    recognisers,
    source,
    detectLanguage,
    found,
  }: RecogniseOptions & { found: LanguageTag | undefined },
): LanguageWatch {
  const isRequested = source.tag !== undefined && baseLanguage(source.tag) === language;
  const believable = heardLanguages(recognisers);
  return createLanguageWatch({ language, believable, engine, isRequested, detectLanguage, found });
}

/** Runs a recogniser; stops it as soon as `take` returns false or the session is over. */
async function listenWith(
  speech: AsyncIterable<SpeechPiece>,
  { engine, language }: Listening,
  {
    source,
    spokenTerms,
    signal,
    session,
    onHeard,
  }: Omit<HearOptions, 'heard'> & Pick<RecognitionOptions, 'onHeard'>,
  take: (recognition: Recognition) => boolean,
): Promise<void> {
  const { controller: listening, unlink } = linkAbort(signal, session);
  const iterator = engine
    .recognise(speech, {
      language,
      languageMode: source.mode,
      signal: listening.signal,
      spokenTerms: engine.usesSpokenTerms ? spokenTerms.now : [],
      onHeard,
    })
    [Symbol.asyncIterator]();
  try {
    for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
      if (!take(step.value)) return;
    }
  } finally {
    unlink();
    listening.abort();
    // Not awaited: a recogniser that waits for its engine only returns once it notices the abort.
    void iterator.return?.().catch(() => undefined);
  }
}

/** Labels a recognition. The requested language keeps its variant; a fixed language overrides detection. */
function labelled(
  recognition: Recognition,
  {
    language,
    engine,
    source,
  }: { language: LanguageTag; engine: RecognitionEngine; source: RequestedSource },
): HeardText {
  const { tag, mode } = source;
  const isRequested =
    tag !== undefined && (mode === 'fixed' || baseLanguage(language) === baseLanguage(tag));
  const heard = { ...recognition, language: isRequested ? tag : language };
  const { punctuates } = engine;
  const written = (text: string): string =>
    punctuates ? text.replace(LOOSE_MARKS, '') : writtenTogether(text, heard.language);
  heard.text = written(heard.text);
  if (heard.kind === 'partial' && heard.agreed !== undefined) heard.agreed = written(heard.agreed);
  return { ...heard, punctuated: punctuates };
}

/** Marks with which a recogniser begins an utterance that it takes for the rest of a sentence. */
const LOOSE_MARKS = /^\s*[,.;:!?…]+(?=\s|$)/u;

/** Passes speech on; reports silence between utterances as pauses, as soon as it is read. */
async function* withoutMarks(
  pieces: AsyncIterable<HeardPiece>,
  rests: Rests | undefined,
  onPause: (pause: Pause) => void,
): AsyncGenerator<SpeechPiece> {
  let utteranceStartMs: number | undefined;
  let utterance = rests?.resumed?.utterance;
  for await (const piece of pieces) {
    if (piece.kind === 'silence') {
      if (utterance !== undefined) onPause({ kind: 'pause', ...utterance, atMs: piece.atMs });
      continue;
    }
    if (piece.kind === 'samples') utteranceStartMs ??= piece.startMs;
    else {
      const endpointMs = piece.atMs;
      utterance = { utteranceStartMs: utteranceStartMs ?? endpointMs, endpointMs };
      rests?.ended(utterance);
      utteranceStartMs = undefined;
    }
    yield piece;
  }
}

// Resume points: positions in the audio before which everything said has been reported.

export interface Rests {
  /** Resume point at which another server stopped. */
  readonly resumed: RestHeard | undefined;
  /** Sets the receiver of resume points. */
  tellTo(tell: (rest: RestHeard) => void): void;
  /** Adds a candidate position, after everything read before it. */
  reached(place: RestPlace): void;
  /** Records that an utterance has been read. */
  ended(utterance: NonNullable<RestHeard['utterance']>): void;
  /**
   * Records that everything up to a position is reported, with the language listened for from there on
   * and the one found so far.
   */
  heardUntil(
    untilMs: number,
    language: LanguageTag | undefined,
    found: LanguageTag | undefined,
  ): void;
  /** Returns the language that another server had found, on the first call only. */
  takeFound(): LanguageTag | undefined;
}

export function createRests(resumed: RestHeard | undefined): Rests {
  let utterance = resumed?.utterance;
  let found = resumed?.listening.found;
  let heardMs = utterance?.endpointMs ?? 0;
  let listening = resumed?.listening ?? {};
  let tell: (rest: RestHeard) => void = () => undefined;
  let waiting: Omit<RestHeard, 'kind' | 'listening'>[] = [];

  function tellLatest(): void {
    const latest = waiting.findLast((each) => (each.utterance?.endpointMs ?? 0) <= heardMs);
    if (latest === undefined) return;
    waiting = waiting.slice(waiting.indexOf(latest) + 1);
    tell({ kind: 'rest', ...latest, listening });
  }

  return {
    resumed,
    tellTo: (next) => (tell = next),
    reached(place) {
      waiting.push({ place, utterance });
      tellLatest();
    },
    ended: (next) => (utterance = next),
    heardUntil(untilMs, language, nowFound) {
      heardMs = untilMs;
      listening = {
        ...(language !== undefined && { language }),
        ...(nowFound !== undefined && { found: nowFound }),
      };
      tellLatest();
    },
    takeFound() {
      const once = found;
      found = undefined;
      return once;
    },
  };
}

// Language watch: notices from recognised text that another language is spoken than assumed.

/** Fewest words that can be judged: languages share too many short words. */
const LEAST_WORDS = 5;
/** Fewest letters that can be judged, for scripts without spaces. */
const LEAST_LETTERS = 24;
const LETTER = /\p{L}/gu;

interface LanguageWatch {
  /** Language of the last final that could be judged. */
  readonly suspected: LanguageTag | undefined;
  /**
   * Judges the text of a final.
   *
   * @returns the likely base language, and whether it is certain enough to listen for from now on: two
   *   judged finals in a row agree on it
   */
  judge(text: string): { language: LanguageTag; isConfirmed: boolean };
}

/**
 * Creates a watch for one language.
 *
 * @param options.language the assumed language
 * @param options.believable base languages that can be spoken: those some recogniser supports
 * @param options.engine the listening recogniser
 * @param options.found the language suspected so far
 * @param options.isRequested whether the client named the language; a single text then cannot override it
 */
function createLanguageWatch({
  language,
  believable,
  engine,
  isRequested,
  detectLanguage,
  found: before,
}: {
  language: LanguageTag;
  believable: ReadonlySet<LanguageTag>;
  engine: RecognitionEngine;
  isRequested: boolean;
  detectLanguage: (text: string) => Detection;
  found: LanguageTag | undefined;
}): LanguageWatch {
  let suspected = before;
  return {
    get suspected() {
      return suspected;
    },
    judge(text) {
      const found = detected(text);
      if (found === undefined) return { language, isConfirmed: false };
      const isConfirmed = found !== language && found === suspected;
      suspected = found;
      // Text in a language that the recogniser does not support is more likely misheard.
      const isBelieved = isConfirmed || (!isRequested && engine.languages.includes(found));
      return { language: isBelieved ? found : language, isConfirmed };
    },
  };

  function detected(text: string): LanguageTag | undefined {
    const isLong =
      text.split(/\s+/).filter(Boolean).length >= LEAST_WORDS ||
      (text.match(LETTER)?.length ?? 0) >= LEAST_LETTERS;
    if (!isLong) return undefined;
    const detection = detectLanguage(text);
    if (detection.status !== 'success') return undefined;
    const base = baseLanguage(detection.language);
    return believable.has(base) ? base : undefined;
  }
}
