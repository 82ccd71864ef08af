/** From utterances to words: which recogniser hears them, and in which language they were said. */
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
import { createSpeechTape, type SpeechTape } from './speech-tape.ts';
import { createChannel, type Channel } from './streams.ts';

/** The language a client says is spoken. */
export interface RequestedSource {
  /** As the client wrote it; undefined when it named none. */
  requested: string | undefined;
  tag: LanguageTag | undefined;
  /** `hint` may turn out to be wrong, `fixed` holds whatever is heard. */
  mode: 'hint' | 'fixed';
}

/** A recognition whose language is known. */
export type HeardText = Recognition & {
  language: LanguageTag;
  /** Whether the text has capitals and punctuation. */
  punctuated: boolean;
};

/** Silence after an utterance, reported while it lasts; finals of that utterance may still follow. */
export interface Pause {
  kind: 'pause';
  /** Where the utterance before it began and ended. */
  utteranceStartMs: number;
  endpointMs: number;
  /** There has been silence up to here. */
  atMs: number;
}

/** Everything that was said before a place has been reported: from there another can go on. */
export interface RestHeard {
  kind: 'rest';
  place: RestPlace;
  /** The last utterance before it. */
  utterance: Omit<Pause, 'kind' | 'atMs'> | undefined;
  /** Who listened, and what was known of the language. */
  listening: { language?: LanguageTag; found?: LanguageTag };
}

export interface RecogniseOptions {
  /** Where others could go on, and where another has been; undefined: nobody asks. */
  rests?: Rests | undefined;
  /** The preferred first; at least one hears the requested language, or any if none is requested. */
  recognisers: readonly RecognitionEngine[];
  source: RequestedSource;
  spokenTerms: SpokenTerms;
  /** Tells the language of a text. */
  detectLanguage: (text: string) => Detection;
  signal: AbortSignal;
}

/** Words that are likely to be said; they may change while somebody listens for them. */
export interface SpokenTerms {
  readonly now: readonly string[];
  change(terms: readonly string[]): void;
  /** Told of changes from now on, in place of whoever was. */
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

/** A recogniser that listens, and the language it listens for; undefined when it finds out itself. */
interface Listening {
  engine: RecognitionEngine;
  language: LanguageTag | undefined;
}

/**
 * Hears a stream with one recogniser, the best for the requested language, or one that detects the
 * language when none is requested. Where it cannot detect and the language is not fixed, the texts of
 * finals are looked at: once two agree on another language, whoever hears that goes on with the next
 * utterance. So does the same recogniser when it has other terms to listen for.
 *
 * @throws ServiceError engine_unavailable when nobody hears the language; what the recogniser threw;
 *   the signal's reason when aborted
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

/** Whether another language can be noticed, and matters. */
function canChange({ engine }: Listening, { recognisers, source }: RecogniseOptions): boolean {
  return source.mode === 'hint' && !engine.detectsLanguage && heardLanguages(recognisers).size > 1;
}

function heardLanguages(recognisers: readonly RecognitionEngine[]): Set<LanguageTag> {
  return new Set(recognisers.flatMap(({ languages }) => languages));
}

interface HearOptions extends RecogniseOptions {
  heard: Channel<HeardText | Pause | RestHeard>;
  /** Aborted when nobody wants to know any more. */
  session: AbortSignal;
}

/** One recogniser from beginning to end. */
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

/** One recogniser after the other, each for the language that is spoken and the terms of its time. */
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

/** Answers who goes on, and with which utterance; undefined at the end of the speech. */
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
    // Nor is what comes of more than it should hear.
    if (next !== undefined && tape.utteranceAt(untilMs - 1) >= next.from) return;
    // Who goes on after it may listen to another language.
    if (next === undefined) rests?.heardUntil(untilMs, language, judge.found);
    else rests?.heardUntil(untilMs, next.language, undefined);
  };
  const listening = { ...options, onHeard: rests && onHeard };
  await listenWith(playback.speech, { engine, language }, listening, (recognition) => {
    const utterance = tape.utteranceAt(recognition.startMs);
    // It was given more than it should hear, because its final came late.
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

/** Tells in which language something was said, and whether another one is spoken from now on. */
interface Judge {
  (recognition: Recognition): { language: LanguageTag; isConfirmed: boolean };
  /** What it knows of the language by now. */
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

/** Runs a recogniser; it is let go as soon as `take` answers false or the session is over. */
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

/** The requested language keeps its variant; a fixed one is never anything else. */
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
  return { ...recognition, language: isRequested ? tag : language, punctuated: engine.punctuates };
}

/** Speech alone; silence between the utterances is reported as pauses, as soon as it is read. */
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

// From where another could go on: places of the audio, once all that was said before them is reported.

export interface Rests {
  /** Where another has been. */
  readonly resumed: RestHeard | undefined;
  /** Gets what is told from now on. */
  tellTo(tell: (rest: RestHeard) => void): void;
  /** Takes a place in the audio, after what was read of it before. */
  reached(place: RestPlace): void;
  /** An utterance has been read. */
  ended(utterance: NonNullable<RestHeard['utterance']>): void;
  /** All that was said up to there is reported; who listens from there on, and what is known by now. */
  heardUntil(
    untilMs: number,
    language: LanguageTag | undefined,
    found: LanguageTag | undefined,
  ): void;
  /** What another had found out of the language; once. */
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

// Notices from what was heard that another language is spoken than thought.

/** Shorter texts are not judged: languages share too many short words. */
const LEAST_WORDS = 5;
/** In scripts without blanks, letters stand for words. */
const LEAST_LETTERS = 24;
const LETTER = /\p{L}/gu;

interface LanguageWatch {
  /** What the last final that could be judged was in. */
  readonly suspected: LanguageTag | undefined;
  /**
   * Takes the text of a final.
   *
   * @returns the base language it is in, as far as is known, and whether that is sure enough to
   *   listen for it from now on: two finals that can be judged, one after the other, agree
   */
  judge(text: string): { language: LanguageTag; isConfirmed: boolean };
}

/**
 * @param options.language that is thought to be spoken
 * @param options.believable base languages that may turn out to be spoken: those somebody hears
 * @param options.engine that is listening
 * @param options.found what is suspected already
 * @param options.isRequested whether the client named the language: then one text alone does not
 *   change what it is said to be in
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
      // What a recogniser cannot hear is more likely a misheard text than another language.
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
