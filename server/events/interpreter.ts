/**
 * Renders one language of a room: translates concluded lines in order, and the text being spoken tentatively.
 */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { linkAbort } from '../process/concurrency.ts';
import type { Logger } from '../process/log.ts';
import { createTargetDisplay, type TranslateText } from '../voice/index.ts';
import type { Caption, NewCaption } from './caption-log.ts';
import type { RoomWording } from './room-wording.ts';

/** Text that is being spoken and is not concluded. */
export interface Growing {
  text: string;
  language: LanguageTag;
  /** Whether the text is likely to change. */
  isUnsure: boolean;
}

/** `renders` is the sequence of the caption that a translation renders. */
export interface Rendering {
  renders: number;
}

export interface InterpreterOptions {
  language: LanguageTag;
  translateText: TranslateText;
  wording: () => RoomWording;
  /** Whether no other translation has been made meanwhile. */
  isMissing: (caption: Caption) => Promise<boolean>;
  append: (caption: NewCaption & Rendering, options: { isLate: boolean }) => Promise<unknown>;
  tell: (tentative: string) => void;
  log: Logger;
}

/** Maximum number of captions awaiting an engine; beyond it the oldest are dropped. */
const MAX_UNTRANSLATED = 150;

export class Interpreter {
  readonly #options: InterpreterOptions;
  readonly #ended = new AbortController();
  readonly #display;
  readonly #waiting: Caption[] = [];
  readonly #old: Caption[] = [];
  /** Captions shown untranslated; retried once an engine answers again. */
  readonly #untranslated: Caption[] = [];
  readonly #triedAgain = new WeakSet<Caption>();
  #growing: Growing | undefined;
  /** The tentative text last translated, and the part of its translation that is shown. */
  #guessed: string | undefined;
  #shown = '';
  #guessing: AbortController | undefined;
  #running: Promise<void> | undefined;

  constructor(options: InterpreterOptions) {
    this.#options = options;
    this.#display = createTargetDisplay({ mode: 'balanced', target: options.language });
  }

  /** Renders captions in order; old ones when there is no other work, the last one first. */
  conclude(captions: readonly Caption[], { areOld } = { areOld: false }): void {
    if (captions.length === 0) return;
    (areOld ? this.#old : this.#waiting).push(...captions);
    if (!areOld) this.#guessing?.abort(new Error('The sentence is whole.'));
    this.#start();
  }

  /** Sets the text being spoken; undefined: none. */
  grow(growing: Growing | undefined): void {
    this.#growing = growing;
    this.#start();
  }

  /** Drops pending captions up to a sequence, as they were deleted. */
  forget(upTo: number): void {
    for (const waiting of [this.#waiting, this.#old, this.#untranslated]) {
      waiting.splice(0, waiting.length, ...waiting.filter(({ sequence }) => sequence > upTo));
    }
  }

  /** Resolves when all given captions are rendered. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  stop(): void {
    this.#ended.abort(new Error('Nobody reads this language any more.'));
  }

  #start(): void {
    if (this.#ended.signal.aborted) return;
    this.#running ??= this.#run()
      .catch((error: unknown) => {
        if (this.#ended.signal.aborted) return;
        this.#options.log.error({ err: error }, 'translation of a room into a language has failed');
      })
      .finally(() => {
        this.#running = undefined;
        if (this.#hasWork) this.#start();
      });
  }

  /** Work may have arrived while the last run ended. */
  get #hasWork(): boolean {
    if (this.#waiting.length + this.#old.length > 0) return true;
    return this.#growing === undefined ? this.#shown !== '' : this.#growing.text !== this.#guessed;
  }

  async #run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const caption = this.#waiting.shift();
      if (caption !== undefined) {
        await this.#render(caption);
      } else if (this.#growing === undefined && this.#shown !== '') {
        this.#reset();
        this.#options.tell('');
      } else if (this.#growing !== undefined && this.#growing.text !== this.#guessed) {
        await this.#guess(this.#growing);
      } else {
        // The most recent line is wanted first.
        const late = this.#old.pop();
        if (late === undefined) return;
        if (await this.#options.isMissing(late)) await this.#render(late, { isLate: true });
      }
    }
  }

  async #render(caption: Caption, { isLate } = { isLate: false }): Promise<void> {
    const { log, wording, append } = this.#options;
    let { text } = caption;
    let { language } = this.#options;
    try {
      text = await this.#translated(caption, this.#ended.signal);
      if (text !== caption.text) this.#old.push(...this.#untranslated.splice(0));
    } catch (error) {
      this.#ended.signal.throwIfAborted();
      // An untranslated line is better than none.
      language = caption.language;
      this.#tryLater(caption);
      if (!(error instanceof ServiceError && error.code === 'engine_unavailable')) {
        log.warn({ err: error, language }, 'a caption of a room was not translated');
      }
    }
    if (!isLate) this.#reset();
    const { sequence: renders, line, startMs, endMs } = caption;
    const shown = wording().translated(text);
    const rendering = { line, renders, language, text: shown, startMs, endMs };
    await append({ ...rendering, author: 'machine' }, { isLate });
  }

  #tryLater(caption: Caption): void {
    if (this.#triedAgain.has(caption)) return;
    this.#triedAgain.add(caption);
    this.#untranslated.push(caption);
    if (this.#untranslated.length > MAX_UNTRANSLATED) this.#untranslated.shift();
  }

  async #translated(
    { text, language: source }: Pick<Caption, 'text' | 'language'>,
    signal: AbortSignal,
  ): Promise<string> {
    const { language: target, translateText } = this.#options;
    if (text === '' || baseLanguage(source) === baseLanguage(target)) return text;
    return (await translateText(text, { source, target, signal })).trim();
  }

  /** Shows as much of the tentative translation as is unlikely to change. */
  async #guess(growing: Growing): Promise<void> {
    const { controller, unlink } = linkAbort(this.#ended.signal);
    this.#guessing = controller;
    this.#guessed = growing.text;
    try {
      const translated = await this.#translated(growing, controller.signal);
      const shown = this.#display.next(translated, { isUnsure: growing.isUnsure });
      const next = this.#options.wording().translated(shown);
      if (next === this.#shown) return;
      this.#shown = next;
      this.#options.tell(next);
    } catch {
      // The next guess, or the concluded sentence, replaces it.
    } finally {
      this.#guessing = undefined;
      unlink();
    }
  }

  #reset(): void {
    this.#display.reset();
    this.#guessed = undefined;
    this.#shown = '';
  }
}
