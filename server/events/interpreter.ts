/** One language of a room: renders what is said in it while somebody reads that. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { linkAbort } from '../process/concurrency.ts';
import type { Logger } from '../process/log.ts';
import { createTargetDisplay, type TranslateText } from '../voice/index.ts';
import type { Caption, NewCaption } from './caption-log.ts';
import type { RoomWording } from './room-wording.ts';

/** What is being said and not concluded. */
export interface Growing {
  text: string;
  language: LanguageTag;
  /** Whether it may well change. */
  isUnsure: boolean;
}

export interface InterpreterOptions {
  language: LanguageTag;
  translateText: TranslateText;
  wording: () => RoomWording;
  append: (caption: NewCaption) => Promise<unknown>;
  tell: (tentative: string) => void;
  log: Logger;
}

export interface Interpreter {
  /** Renders captions, the first that were given first; those of late before those of long ago. */
  conclude(captions: readonly Caption[], options?: { areOld: boolean }): void;
  /** What is being said now; undefined: nothing. */
  grow(growing: Growing | undefined): void;
  /** Resolves when all that was given is rendered. */
  idle(): Promise<void>;
  stop(): void;
}

/** Old captions that wait to be rendered for who comes late. */
const MAX_OLD = 1_000;

export function createInterpreter(options: InterpreterOptions): Interpreter {
  const { language, translateText, wording, append, tell, log } = options;
  const ended = new AbortController();
  const display = createTargetDisplay({ mode: 'balanced', target: language });
  const queue: Caption[] = [];
  const old: Caption[] = [];
  let growing: Growing | undefined;
  let guessed: string | undefined;
  let shown = '';
  let guessing: AbortController | undefined;
  let running: Promise<void> | undefined;

  async function rendered(text: string, from: LanguageTag, signal: AbortSignal): Promise<string> {
    if (text === '' || baseLanguage(from) === baseLanguage(language)) return text;
    return (await translateText(text, { source: from, target: language, signal })).trim();
  }

  async function conclude(caption: Caption, isOld: boolean): Promise<void> {
    let text = caption.text;
    try {
      text = await rendered(caption.text, caption.language, ended.signal);
    } catch (error) {
      ended.signal.throwIfAborted();
      // Better as it was said than not at all.
      if (!(error instanceof ServiceError && error.code === 'engine_unavailable')) {
        log.warn({ err: error, language }, 'a caption of a room was not translated');
      }
    }
    const { line, startMs, endMs, sequence } = caption;
    if (!isOld) reset();
    await append({
      line,
      renders: sequence,
      language,
      text: wording().translated(text),
      startMs,
      endMs,
      author: caption.author,
    });
  }

  function reset(): void {
    display.reset();
    guessed = undefined;
    shown = '';
  }

  async function guess({ text, language: from, isUnsure }: Growing): Promise<void> {
    const { controller, unlink } = linkAbort(ended.signal);
    guessing = controller;
    try {
      guessed = text;
      const translated = await rendered(text, from, controller.signal);
      const next = wording().translated(display.next(translated, { isUnsure }));
      if (next !== shown) tell((shown = next));
    } catch {
      // The next guess, or the whole sentence, takes its place.
    } finally {
      guessing = undefined;
      unlink();
    }
  }

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      const caption = queue.shift();
      if (caption !== undefined) {
        await conclude(caption, false);
      } else if (growing === undefined && shown !== '') {
        reset();
        tell('');
      } else if (growing !== undefined && growing.text !== guessed) {
        await guess(growing);
      } else {
        const late = old.shift();
        if (late === undefined) return;
        await conclude(late, true);
      }
    }
  }

  function start(): void {
    running ??= run()
      .catch((error: unknown) => {
        if (!ended.signal.aborted) log.error({ err: error }, 'a language of a room has failed');
      })
      .finally(() => {
        running = undefined;
        if (!ended.signal.aborted && (queue.length > 0 || old.length > 0)) start();
      });
  }

  return {
    conclude(captions, { areOld = false } = { areOld: false }) {
      if (captions.length === 0 || ended.signal.aborted) return;
      if (areOld) old.push(...captions.slice(-MAX_OLD));
      else queue.push(...captions);
      if (!areOld) guessing?.abort(new Error('The sentence is whole.'));
      start();
    },
    grow(next) {
      growing = next;
      if (!ended.signal.aborted) start();
    },
    async idle() {
      while (running !== undefined) await running;
    },
    stop() {
      ended.abort(new Error('Nobody reads this language any more.'));
    },
  };
}
