/**
 * Recognises one utterance with Moonshine while it is spoken. The model takes whole windows of audio, so a
 * growing window is decoded again and again. Tokens on which two hypotheses agree are kept and given to the
 * next decoding as the beginning of its text. Silero's voice detector finds where windows begin and the
 * pauses at which they end.
 * All decisions depend on positions in the audio, so the same audio gives the same text as long as there is
 * enough processor time. Uncertain text is decoded again, unless other utterances are far behind by then.
 */
import { SAMPLES_PER_MS } from '../engine.ts';
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

/** Result of one piece of work. */
export type EarNews =
  | { kind: 'partial'; heard: HeardPart }
  | { kind: 'part'; part: ConcludedPart }
  /** The utterance is over; `heard` is the part not concluded before. */
  | { kind: 'over'; heard: HeardPart };

interface MoonshineEarOptions {
  model: MoonshineModel;
  track: SpeechTrack;
  bias: TermBias | undefined;
  /** Speech and text of the previous utterance. */
  before: Before | undefined;
  /** Factor by which the interval between two hypotheses is stretched, from 1 to 2. */
  patience: () => number;
  /** Whether other utterances are so far behind that optional work is skipped. */
  isHurried: () => boolean;
}

/** Speech that was already heard, and its text. */
interface Before {
  samples: Float32Array;
  tokens: readonly number[];
  /** Whether its sentence continues in the following speech. */
  isOpen: boolean;
}

/** Length of a window at its first decoding, and the intervals between later ones, in samples. */
const FIRST_LOOK = 800 * SAMPLES_PER_MS;
const EARLY_HOP = 250 * SAMPLES_PER_MS;
const EARLY_UNTIL = 1_800 * SAMPLES_PER_MS;
const HOP = 500 * SAMPLES_PER_MS;
/** Length from which agreed tokens are kept: hypotheses of less audio get the first words wrong too often. */
const KEEP_FROM = 1_500 * SAMPLES_PER_MS;
/** Number of overdue hypotheses above which they are skipped. */
const MOST_BEHIND = 2;
/** ln p below which a kept token is doubted. */
const DOUBTFUL = -2;
/** Margin in ln p by which another text must be likelier to replace what was kept. */
const CLEARLY = 1;
/** Mean ln p of a text's tokens below which the window is decoded again at other tempos. */
const UNSURE = -0.1;
const TEMPOS = [1.03, 0.97, 0.95, 1.06, 0.92];
/** Mean ln p below which the audio was no speech. */
const NOISE = -1.2;
/** Votes of a decoding with preceding context, which counts as much as decodings at several tempos. */
const CONTEXT_VOTES = 4;
/** Preceding speech longer than this is not worth decoding again, in samples. */
const LONGEST_BEFORE = 5_000 * SAMPLES_PER_MS;
/** Gap after which preceding speech no longer helps, in samples. */
const LONGEST_GAP = 2_000 * SAMPLES_PER_MS;

/** A window being decoded, and its hypotheses so far. */
interface Listening {
  window: AudioWindow;
  /** Length of the window at its next decoding, in samples. */
  nextLook: number;
  hypotheses: Decoded[];
  kept: readonly number[];
  tentative: Tentative;
  /**
   * Final text if no more speech follows: decoded during the pause, before the pause is known to be the end.
   */
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
  /** End of the last concluded part, in samples of the utterance. */
  #concludedUntil = 0;

  constructor(options: MoonshineEarOptions) {
    this.#options = options;
    this.#before = options.before;
    this.#begun = options.before?.isOpen === true;
  }

  /** Takes in s16le samples. */
  async accept(audio: Buffer): Promise<void> {
    await this.#options.track.append(audio);
  }

  /** Marks the utterance as complete. @param isCut whether speech continues nevertheless */
  end(isCut: boolean): void {
    this.#options.track.end(isCut);
    this.#isEnding = true;
  }

  /** The most urgent work that is due. */
  get wants(): 'conclusion' | 'hypothesis' | 'nothing' {
    if (this.#isOver) return 'nothing';
    const listening = this.#current();
    if (listening === undefined) return this.#isEnding ? 'conclusion' : 'nothing';
    const { window, nextLook } = listening;
    if (window.isClosed) return 'conclusion';
    return canForesee(listening) || window.length >= nextLook ? 'hypothesis' : 'nothing';
  }

  /** Does one piece of the work named by {@link wants}; resolves to undefined when it yields no result. */
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

  /** Decodes a growing window up to its next look. */
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

  /** Decodes a window during a pause, as if the pause were its end. */
  async #foresee(listening: Listening): Promise<EarNews | undefined> {
    const length = listening.window.ending ?? 0;
    const final = await this.#final(listening, length);
    listening.foreseen = { length, final };
    return this.#partial(listening, [...listening.hypotheses, final], length);
  }

  /** Returns the partial to report once the first `heard` samples of a window are decoded, if any. */
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

  /** Returns a hypothesis that keeps the agreed tokens, unless they have become doubtful. */
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

  /** Returns the final text of a window, independently of earlier hypotheses. */
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
      // An empty rest is not an answer: the voice detector found speech here.
      if (hasWords(model.text(inContext.tokens))) ballot.add(inContext, CONTEXT_VOTES);
    }
    for (const tempo of TEMPOS) {
      if (isHurried()) break;
      const heard = atTempo(samples, tempo);
      ballot.add(await model.decode({ samples: heard, guess: first.tokens, ...biased }));
    }
    return ballot.winner(first);
  }

  /** Decodes short speech together with the speech before it, which improves recognition. */
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

  /** Whether one decoding has different words and is likelier by a margin. */
  #isBetter(other: Decoded, than: Decoded, byMuch: number): boolean {
    const { model } = this.#options;
    return (
      other.score > than.score + byMuch &&
      wordsAlone(model.text(other.tokens)) !== wordsAlone(model.text(than.tokens))
    );
  }

  /** Formats a text for reporting: the continuation of a sentence loses its capital. */
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

/** Counts decodings by their words alone, so that variants in punctuation do not split the vote. */
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

  /** Returns the likeliest decoding of all; `first` unless another has more votes. */
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

/** Whether a window pauses long enough that this may be its end, and that end has not been decoded yet. */
function canForesee({ window, foreseen }: Listening): boolean {
  const { ending, hasSpeech, isClosed } = window;
  return !isClosed && hasSpeech && ending !== undefined && foreseen?.length !== ending;
}

/** Skips looks that fall into a pause, where decoding would find nothing new. */
function leaveOutPauses(listening: Listening | undefined): void {
  if (listening === undefined) return;
  const { window } = listening;
  while (listening.nextLook < window.length && window.pausesAt(listening.nextLook)) {
    listening.nextLook += EARLY_HOP;
  }
}

/** Whether so much audio has arrived since a look was due that the look is skipped. */
function isFarBehind({ length }: AudioWindow, nextLook: number): boolean {
  return length - nextLook > MOST_BEHIND * HOP;
}

function meanOf({ score, tokens }: Decoded): number {
  return score / (tokens.length + 1);
}

function hasWords(text: string): boolean {
  return wordsAlone(text).trim() !== '';
}

/** Removes the final mark: the model ends every text with one, even where the audio was cut. */
function withoutFullStop(text: string): string {
  return text.replace(/[.,;:…]+$/u, '');
}

/** Lowers the first letter, except in English "I", all-capital names and the like. */
function continued(text: string): string {
  return /^(?:I\b|\p{Lu}{2})/u.test(text)
    ? text
    : text.replace(/^\p{Lu}/u, (letter) => letter.toLowerCase());
}

/** Resamples speech to another tempo, which shifts its pitch as well. */
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
