/**
 * Hears one utterance with Moonshine while it is said. The model hears whole windows of audio, so a
 * window that grows is heard again and again: what two hypotheses agree on is kept and given to the next
 * one as the beginning of its text. Silero's detector finds where a window begins, and the pauses at which
 * it ends. Everything is decided by positions in the audio, so that the same audio is heard the same way
 * as long as there is time to hear it: who is unsure hears again, unless others are far behind by then.
 */
import { RECOGNITION_RATE_HZ } from '../engine.ts';
import type { ConcludedPart, HeardPart } from './hearing-protocol.ts';
import {
  agreedTokens,
  createTentative,
  wordsAlone,
  type Tentative,
} from './moonshine-agreement.ts';
import type { Decoded, MoonshineModel } from './moonshine-model.ts';
import type { AudioWindow, SpeechTrack } from './speech-track.ts';
import type { TermBias } from './term-bias.ts';

/** What an ear has to tell after some work. */
export type EarNews =
  | { kind: 'partial'; heard: HeardPart }
  | { kind: 'part'; part: ConcludedPart }
  /** The utterance is over; `heard` is what was not concluded before. */
  | { kind: 'over'; heard: HeardPart };

interface MoonshineEarOptions {
  model: MoonshineModel;
  track: SpeechTrack;
  bias: TermBias | undefined;
  /** What was said just before. */
  before: Before | undefined;
  /** How much longer than usual to wait between two hypotheses, from 1 to 2. */
  patience: () => number;
  /** Whether others are so far behind that what is not needed is left out. */
  isHurried: () => boolean;
}

/** Speech that was heard, and what it said. */
interface Before {
  samples: Float32Array;
  tokens: readonly number[];
  /** Whether its sentence goes on. */
  isOpen: boolean;
}

const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1000;
/** Audio in a window after which it is first heard, and how often from then on, in samples. */
const FIRST_LOOK = 800 * SAMPLES_PER_MS;
const EARLY_HOP = 250 * SAMPLES_PER_MS;
const EARLY_UNTIL = 1_800 * SAMPLES_PER_MS;
const HOP = 500 * SAMPLES_PER_MS;
/** Hypotheses of less audio are not worth keeping: they are mistaken about the first words too often. */
const KEEP_FROM = 1_500 * SAMPLES_PER_MS;
/** A window that has ended is heard as far as this many hypotheses behind; then they are left out. */
const MOST_BEHIND = 2;
/** A kept token that has become less likely than this, as ln p, is doubted. */
const DOUBTFUL = -2;
/** How much likelier, as ln p, another text must be to take the place of what was kept. */
const CLEARLY = 1;
/** Mean ln p of the tokens of a text below which it is heard again: slower, faster. */
const UNSURE = -0.1;
const TEMPOS = [1.03, 0.97, 0.95, 1.06, 0.92];
/** Mean ln p below which it was no speech. */
const NOISE = -1.2;
/** What is heard with what was said before counts as much as the same speech heard in several ways. */
const CONTEXT_VOTES = 4;
/** Longer speech before a window is not worth hearing once more, in samples. */
const LONGEST_BEFORE = 5_000 * SAMPLES_PER_MS;
/** What was said longer ago says nothing of what is said now, in samples. */
const LONGEST_GAP = 2_000 * SAMPLES_PER_MS;

/** A window that is being heard, and what was believed of it so far. */
interface Listening {
  window: AudioWindow;
  /** Audio heard at the next look, in samples of the window. */
  nextLook: number;
  hypotheses: Decoded[];
  kept: readonly number[];
  tentative: Tentative;
  /** What it says if nothing more comes: found in the pause, before it is known to be the end. */
  foreseen: { length: number; final: Decoded } | undefined;
}

export class MoonshineEar {
  readonly #options: MoonshineEarOptions;
  #listening: Listening | undefined;
  #isEnding = false;
  #isOver = false;
  /** Whether the last part was cut within a sentence. */
  #begun = false;
  #before: Before | undefined;
  /** Where the last part ended, in samples of the utterance. */
  #concludedUntil = 0;

  constructor(options: MoonshineEarOptions) {
    this.#options = options;
    this.#before = options.before;
    this.#begun = options.before?.isOpen === true;
  }

  /** Takes in samples, s16le. */
  async accept(audio: Buffer): Promise<void> {
    await this.#options.track.append(audio);
  }

  /** Nothing more will come. @param isCut whether speech goes on all the same */
  end(isCut: boolean): void {
    this.#options.track.end(isCut);
    this.#isEnding = true;
  }

  /** Whether somebody waits for what is concluded, for a next hypothesis, or for nothing. */
  get wants(): 'conclusion' | 'hypothesis' | 'nothing' {
    if (this.#isOver) return 'nothing';
    const listening = this.#current();
    if (listening === undefined) return this.#isEnding ? 'conclusion' : 'nothing';
    const { window, nextLook } = listening;
    if (window.isClosed) return 'conclusion';
    return canForesee(listening) || window.length >= nextLook ? 'hypothesis' : 'nothing';
  }

  /** Does one piece of the work that {@link wants} tells of; undefined when there is nothing to tell. */
  async work(): Promise<EarNews | undefined> {
    const listening = this.#current();
    if (listening === undefined) {
      if (!this.#isEnding) return undefined;
      this.#isOver = true;
      return { kind: 'over', heard: { text: '', words: [] } };
    }
    const { window, nextLook } = listening;
    const isBehind = isFarBehind(window, nextLook);
    if (window.isClosed && (isBehind || nextLook >= window.length)) {
      return await this.#conclude(listening);
    }
    if (canForesee(listening)) return await this.#foresee(listening);
    if (window.length < nextLook) return undefined;
    if (isBehind) listening.nextLook = window.length;
    return await this.#look(listening);
  }

  #current(): Listening | undefined {
    const window = this.#options.track.window;
    if (window === undefined) this.#listening = undefined;
    else if (this.#listening?.window !== window) {
      const tentative = createTentative(this.#options.model);
      this.#listening = {
        window,
        nextLook: FIRST_LOOK,
        hypotheses: [],
        kept: [],
        tentative,
        foreseen: undefined,
      };
    }
    leaveOutPauses(this.#listening);
    return this.#listening;
  }

  /** Hears what a growing window says so far. */
  async #look(listening: Listening): Promise<EarNews | undefined> {
    const { model, patience } = this.#options;
    const { window, hypotheses } = listening;
    const heard = Math.min(listening.nextLook, window.length);
    const hypothesis = await this.#believable(listening, window.samples(heard));
    hypotheses.push(hypothesis);
    const hop = heard < EARLY_UNTIL ? EARLY_HOP : HOP;
    listening.nextLook = heard + Math.round(hop * patience());
    if (heard >= KEEP_FROM) {
      const agreed = agreedTokens(model, hypotheses);
      if (agreed > listening.kept.length) listening.kept = hypothesis.tokens.slice(0, agreed);
    }
    return this.#partial(listening, hypotheses, heard);
  }

  /** Hears in a pause what a window says if that is its end. */
  async #foresee(listening: Listening): Promise<EarNews | undefined> {
    const length = listening.window.ending ?? 0;
    const final = await this.#final(listening, length);
    listening.foreseen = { length, final };
    return this.#partial(listening, [...listening.hypotheses, final], length);
  }

  /** What can be reported once the first `heard` samples of a window have been heard. */
  #partial(
    { window, tentative }: Listening,
    hypotheses: readonly Decoded[],
    heard: number,
  ): EarNews | undefined {
    const latest = hypotheses.at(-1);
    if (latest === undefined || meanOf(latest) < NOISE || !window.hasSpeech) return undefined;
    tentative.see(hypotheses, heard);
    const { text, agreed } = tentative;
    const words = tentative.words(text, window, heard);
    return { kind: 'partial', heard: this.#reported({ text, agreed, words }) };
  }

  /** A hypothesis that keeps what was agreed on, unless that has become doubtful. */
  async #believable(listening: Listening, samples: Float32Array): Promise<Decoded> {
    const { model, bias } = this.#options;
    const { hypotheses, kept } = listening;
    const guess = hypotheses.at(-1)?.tokens.slice(kept.length) ?? [];
    const biased = bias === undefined ? {} : { bias };
    const hypothesis = await model.decode({ samples, kept, guess, ...biased });
    const isDoubtful = hypothesis.chances.slice(0, kept.length).some((chance) => chance < DOUBTFUL);
    if (!isDoubtful) return hypothesis;
    const other = await model.decode({ samples, guess: hypothesis.tokens, ...biased });
    if (!this.#isBetter(other, hypothesis, CLEARLY)) return hypothesis;
    listening.kept = [];
    return other;
  }

  async #conclude(listening: Listening): Promise<EarNews> {
    const { track, model } = this.#options;
    const { window, tentative, foreseen } = listening;
    const isForeseen = foreseen?.length === window.length;
    const final = isForeseen
      ? foreseen.final
      : window.hasSpeech
        ? await this.#final(listening, window.length)
        : undefined;
    const isSpeech = final !== undefined && meanOf(final) >= NOISE;
    let heard: HeardPart = { text: '', words: [] };
    if (isSpeech) {
      const { tokens } = final;
      const whole = model.text(tokens);
      const { text } = this.#reported({ text: window.isCut ? withoutFullStop(whole) : whole });
      const isOpen = window.isCut && !/[.?!]$/.test(text);
      const { from, length: sampleCount } = window;
      const words = tentative.words(text, window, sampleCount, final);
      heard = { text, words, context: { from, sampleCount, tokens, isOpen } };
      this.#before = { samples: window.samples(sampleCount).slice(), tokens, isOpen };
      this.#concludedUntil = from + sampleCount;
      this.#begun = isOpen;
    }
    track.shift();
    if (this.#isEnding && track.window === undefined) {
      this.#isOver = true;
      return { kind: 'over', heard };
    }
    return { kind: 'part', part: { ...heard, settledSamples: window.from + window.length } };
  }

  /** What a window says in the end, whatever was believed of it before. */
  async #final({ window, hypotheses }: Listening, length: number): Promise<Decoded> {
    const { model, bias, isHurried } = this.#options;
    const biased = bias === undefined ? {} : { bias };
    const samples = window.samples(length);
    const guess = hypotheses.at(-1)?.tokens ?? [];
    const first = await model.decode({ samples, guess, ...biased });
    if (meanOf(first) >= UNSURE) return first;
    const ballot = new Ballot(({ tokens }) => wordsAlone(model.text(tokens)));
    ballot.add(first);
    const before = this.#near(window);
    if (before !== undefined) {
      const inContext = await this.#inContext(before, samples);
      // That the text before was all is no answer: the detector has heard speech here.
      if (hasWords(model.text(inContext.tokens))) ballot.add(inContext, CONTEXT_VOTES);
    }
    for (const tempo of TEMPOS) {
      if (isHurried()) break;
      const heard = atTempo(samples, tempo);
      ballot.add(await model.decode({ samples: heard, guess: first.tokens, ...biased }));
    }
    return ballot.winner(first);
  }

  /** Short speech is understood better with what was said before it. */
  async #inContext(before: Before, samples: Float32Array): Promise<Decoded> {
    const { model, bias } = this.#options;
    const whole = new Float32Array(before.samples.length + samples.length);
    whole.set(before.samples);
    whole.set(samples, before.samples.length);
    const count = before.tokens.length;
    const heard = await model.decode({
      samples: whole,
      kept: before.tokens,
      ...(bias !== undefined && { bias }),
    });
    const known = heard.chances.slice(0, count).reduce((sum, chance) => sum + chance, 0);
    return {
      tokens: heard.tokens.slice(count),
      chances: heard.chances.slice(count),
      score: heard.score - known,
    };
  }

  #near({ from }: AudioWindow): Before | undefined {
    const { length } = this.#before?.samples ?? [];
    const isNear = from - this.#concludedUntil <= LONGEST_GAP && length <= LONGEST_BEFORE;
    return isNear && length > 0 ? this.#before : undefined;
  }

  /** Whether a text says something else, and is so much likelier. */
  #isBetter(other: Decoded, than: Decoded, byMuch: number): boolean {
    const { model } = this.#options;
    return (
      other.score > than.score + byMuch &&
      wordsAlone(model.text(other.tokens)) !== wordsAlone(model.text(than.tokens))
    );
  }

  /** A text as it is reported: what goes on with a sentence has no capital. */
  #reported<Part extends Partial<HeardPart> & { text: string }>(part: Part): Part {
    if (!this.#begun) return part;
    const { agreed } = part;
    return {
      ...part,
      text: continued(part.text),
      ...(agreed !== undefined && { agreed: continued(agreed) }),
    };
  }
}

/** Texts by their words alone: punctuation divides what is likely among texts that say the same. */
class Ballot {
  readonly #wordsOf: (decoded: Decoded) => string;
  readonly #votes = new Map<string, { sum: number; best: Decoded }>();

  constructor(wordsOf: (decoded: Decoded) => string) {
    this.#wordsOf = wordsOf;
  }

  add(decoded: Decoded, votes = 1): void {
    const words = this.#wordsOf(decoded);
    const { sum, best } = this.#votes.get(words) ?? { sum: 0, best: decoded };
    const better = decoded.score > best.score ? decoded : best;
    this.#votes.set(words, { sum: sum + votes * Math.exp(decoded.score), best: better });
  }

  /** What is likelier than all others; the first if it says the same. */
  winner(first: Decoded): Decoded {
    let winner = first;
    let most = this.#votes.get(this.#wordsOf(first))?.sum ?? 0;
    for (const { sum, best } of this.#votes.values()) {
      if (sum <= most) continue;
      most = sum;
      winner = best;
    }
    return winner;
  }
}

/** Whether a window pauses for so long that this may be its end, and that has not been heard yet. */
function canForesee({ window, foreseen }: Listening): boolean {
  const { ending, hasSpeech, isClosed } = window;
  return !isClosed && hasSpeech && ending !== undefined && foreseen?.length !== ending;
}

/** A look in a pause would find nothing that was not there before it. */
function leaveOutPauses(listening: Listening | undefined): void {
  if (listening === undefined) return;
  const { window } = listening;
  while (listening.nextLook < window.length && window.pausesAt(listening.nextLook)) {
    listening.nextLook += EARLY_HOP;
  }
}

/** Whether so much has come since a look was due that it is left out. */
function isFarBehind({ length }: AudioWindow, nextLook: number): boolean {
  return length - nextLook > MOST_BEHIND * HOP;
}

function meanOf({ score, tokens }: Decoded): number {
  return score / (tokens.length + 1);
}

function hasWords(text: string): boolean {
  return wordsAlone(text).trim() !== '';
}

/** The model ends everything it hears with a mark, also where it was cut. */
function withoutFullStop(text: string): string {
  return text.replace(/[.,;:…]+$/u, '');
}

/** English "I", names that are all capitals and the like keep their capitals. */
function continued(text: string): string {
  return /^(?:I\b|\p{Lu}{2})/u.test(text)
    ? text
    : text.replace(/^\p{Lu}/u, (letter) => letter.toLowerCase());
}

/** The same speech slower or faster, and by as much lower or higher. */
function atTempo(samples: Float32Array, tempo: number): Float32Array {
  const changed = new Float32Array(Math.floor(samples.length * tempo));
  for (let index = 0; index < changed.length; index += 1) {
    const place = index / tempo;
    const before = Math.floor(place);
    const share = place - before;
    changed[index] = (samples[before] ?? 0) * (1 - share) + (samples[before + 1] ?? 0) * share;
  }
  return changed;
}
