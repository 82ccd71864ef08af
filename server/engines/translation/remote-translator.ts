/**
 * What translators that run elsewhere have in common: segments go in batches, few requests run at
 * once, callers take turns, and nothing but an answer of the expected form becomes a translation.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { FairPlaces, type Turn } from '../../process/concurrency.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import type { TranslationOptions } from '../engine.ts';
import { linkAbort } from '../service/linked-abort.ts';
import { outboundText, type OutboundText } from './outbound-text.ts';
import type { TagStyle } from './tagged-text.ts';

export interface RemoteTranslatorOptions {
  /** Name of the engine, for people. */
  engine: string;
  /** Requests at once, of all callers together. */
  maxParallel: number;
  /** How tags and text go together; texts of one style share requests. */
  styleOf: (segment: TextSegment) => TagStyle;
  /** Bounds of one request; a longer text goes alone. `maxCharacters` counts UTF-16 units. */
  maxItems: number;
  maxCharacters: number;
  /** How often a text is tried alone before it is given up. */
  maxTries: number;
}

/**
 * Sends texts in one request; undefined in the answer for those without a usable translation, which
 * are asked for again in smaller requests.
 */
export type SendBatch = (
  texts: readonly OutboundText[],
  options: { style: TagStyle; signal: AbortSignal },
) => Promise<(TextSegment | undefined)[]>;

/** What sends the texts of one call, and for whom. */
export interface BatchSender extends Pick<TranslationOptions, 'signal' | 'account'> {
  send: SendBatch;
}

/** What one request is made for, at first. */
interface Batch {
  style: TagStyle;
  texts: OutboundText[];
  /** Places of the texts among the segments. */
  indexes: number[];
  characters: number;
}

export class RemoteTranslator {
  readonly #options: RemoteTranslatorOptions;
  readonly #closing = new AbortController();
  readonly #places: FairPlaces;

  constructor(options: RemoteTranslatorOptions) {
    this.#options = options;
    this.#places = new FairPlaces(options.maxParallel);
  }

  /**
   * Translates segments with as many calls of `send` as it takes; order kept.
   *
   * @throws ServiceError translation_failed for a text that got no usable answer, engine_unavailable
   *   once closed; what `send` throws; the signal's reason when aborted
   */
  async translate(
    segments: readonly TextSegment[],
    { send, signal, account }: BatchSender,
  ): Promise<TextSegment[]> {
    const turn: Turn = { account };
    const { controller: call, unlink } = linkAbort(signal, this.#closing.signal);
    call.signal.addEventListener('abort', () => this.#places.abandon(turn, call.signal.reason));
    const results = [...segments];
    try {
      call.signal.throwIfAborted();
      await Promise.all(
        this.#batches(segments).map(async ({ style, texts, indexes }) => {
          const sendOne = (some: readonly OutboundText[]) =>
            send(some, { style, signal: call.signal });
          const answers = await this.#places.hold(turn, async () => {
            call.signal.throwIfAborted();
            return this.#answerAll(texts, sendOne);
          });
          for (const [i, index] of indexes.entries()) results[index] = answers[i] ?? [];
        }),
      );
      return results;
    } catch (error) {
      // The other batches are of no use any more.
      call.abort(error);
      call.signal.throwIfAborted();
      throw error;
    } finally {
      unlink();
    }
  }

  /** Fails what is pending and all that comes. */
  close(): void {
    const { engine } = this.#options;
    this.#closing.abort(
      new ServiceError('engine_unavailable', `The translator ${engine} is being stopped.`),
    );
  }

  #batches(segments: readonly TextSegment[]): Batch[] {
    const { styleOf, maxItems, maxCharacters } = this.#options;
    const batches: Batch[] = [];
    const growing = new Map<TagStyle, Batch>();
    for (const [index, segment] of segments.entries()) {
      const style = styleOf(segment);
      const text = outboundText(segment, style);
      if (text === undefined) continue;
      let batch = growing.get(style);
      const characters = (batch?.characters ?? 0) + text.text.length;
      if (batch === undefined || batch.texts.length === maxItems || characters > maxCharacters) {
        batch = { style, texts: [], indexes: [], characters: 0 };
        growing.set(style, batch);
        batches.push(batch);
      }
      batch.texts.push(text);
      batch.indexes.push(index);
      batch.characters += text.text.length;
    }
    return batches;
  }

  /** Asks again for what is missing; an answer that is no use at all makes two halves. */
  async #answerAll(
    texts: readonly OutboundText[],
    send: (texts: readonly OutboundText[]) => ReturnType<SendBatch>,
    tries = 1,
  ): Promise<TextSegment[]> {
    const answers = await send(texts);
    const missing = texts.filter((_, i) => answers[i] === undefined);
    if (missing.length === 0) return answers.filter((answer) => answer !== undefined);
    const again: TextSegment[] = [];
    if (missing.length < texts.length) again.push(...(await this.#answerAll(missing, send)));
    else if (texts.length > 1) {
      const middle = Math.ceil(texts.length / 2);
      again.push(...(await this.#answerAll(texts.slice(0, middle), send)));
      again.push(...(await this.#answerAll(texts.slice(middle), send)));
    } else if (tries < this.#options.maxTries) {
      again.push(...(await this.#answerAll(texts, send, tries + 1)));
    } else throw this.#noUsableAnswer();
    let next = 0;
    return answers.map((answer) => answer ?? again[next++] ?? []);
  }

  #noUsableAnswer(): ServiceError {
    return new ServiceError(
      'translation_failed',
      `The translator ${this.#options.engine} has no usable answer to one of the texts. ` +
        'Rephrase or shorten it and try again.',
    );
  }
}
