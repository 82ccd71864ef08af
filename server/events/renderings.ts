/** What is said in a room, in its other languages: what is missing, who renders it, and what stays. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { SPOKEN } from '../../shared/schemas/rooms.ts';
import type { Logger } from '../process/log.ts';
import type { TranslateText } from '../voice/index.ts';
import type { Caption, CaptionLog, NewCaption } from './caption-log.ts';
import { createInterpreter, type Interpreter, type Rendering } from './interpreter.ts';
import type { RoomWording } from './room-wording.ts';

export interface RenderingsOptions {
  roomId: string;
  captions: CaptionLog;
  translateText: TranslateText;
  wording: () => RoomWording;
  append: (
    language: LanguageTag,
    caption: NewCaption,
    options: { isLate: boolean },
  ) => Promise<unknown>;
  log: Logger;
}

export class Renderings {
  readonly #options: RenderingsOptions;
  /** Lines that persons wrote, by language and number: they may be on their way to where they are kept. */
  readonly #written = new Set<string>();
  /** Languages that are being completed: one wish after the other, as the next finds it done. */
  readonly #completing = new Map<string, Promise<void>>();
  /** What was said up to this sequence is not wanted any more: it was deleted. */
  #forgottenUpTo = 0;
  #isOver = false;

  constructor(options: RenderingsOptions) {
    this.#options = options;
  }

  /** Renders into a language what it is given. */
  interpreter(language: LanguageTag): Interpreter {
    const { roomId, captions, translateText, wording, log } = this.#options;
    return createInterpreter({
      language,
      translateText,
      wording,
      isMissing: async (caption) => {
        const track = { roomId, name: language };
        const rendering = await captions.find(track, caption.line, { isUrgent: true });
        return isMissing(rendering, caption, language);
      },
      append: (...caption) => this.#append(language, ...caption),
      tell: (tentative) => captions.tell({ roomId, name: language }, tentative),
      log,
    });
  }

  /** What was said of late, ended since a moment (ms since the epoch), and is missing in a language. */
  async missing(language: LanguageTag, sinceMs: number): Promise<Caption[]> {
    const { roomId, captions } = this.#options;
    const [said, rendered] = await Promise.all([
      captions.read({ roomId, name: SPOKEN }, 0),
      captions.read({ roomId, name: language }, 0),
    ]);
    return missingIn(rendered.captions, said.captions, language).filter(
      ({ endMs }) => endMs >= sinceMs,
    );
  }

  /** Renders all that is missing in a language. */
  async complete(language: LanguageTag, signal: AbortSignal): Promise<void> {
    const before = this.#completing.get(language) ?? Promise.resolve();
    const completed = before.then(() => this.#complete(language, signal));
    const settled = completed.catch(() => undefined);
    this.#completing.set(language, settled);
    await completed;
  }

  async #complete(language: LanguageTag, signal: AbortSignal): Promise<void> {
    const { roomId, captions } = this.#options;
    const rendered = new Map<number, Caption>();
    for await (const page of captions.transcript({ roomId, name: language })) {
      signal.throwIfAborted();
      for (const caption of page) rendered.set(caption.line, caption);
    }
    const said = new Map<number, Caption>();
    for await (const page of captions.transcript({ roomId, name: SPOKEN })) {
      signal.throwIfAborted();
      for (const caption of page) {
        if (isMissing(rendered.get(caption.line), caption, language))
          said.set(caption.line, caption);
        else said.delete(caption.line);
      }
    }
    const interpreter = this.interpreter(language);
    signal.addEventListener('abort', () => interpreter.stop(), { once: true });
    // The first first: somebody who reads it meanwhile has it from the last.
    interpreter.conclude([...said.values()].reverse(), { areOld: true });
    await interpreter.idle();
    signal.throwIfAborted();
  }

  /** To be called before what a person wrote in the place of a line is appended. */
  noteWritten(language: LanguageTag, line: number): void {
    this.#written.add(`${language} ${line}`);
  }

  /** What a person wrote stays, as long as there is the line at all; so does what is newer, or the same. */
  async #append(
    language: LanguageTag,
    caption: NewCaption & Rendering,
    options: { isLate: boolean },
  ): Promise<void> {
    const { roomId, captions } = this.#options;
    const { line, renders, text } = caption;
    const shown = await captions.find({ roomId, name: language }, line, { isUrgent: true });
    const mark = `${language} ${line}`;
    if (text === '') this.#written.delete(mark);
    else if (shown?.renders === null || this.#written.has(mark)) return;
    if (this.#isOver || renders <= this.#forgottenUpTo || renders < (shown?.renders ?? 0)) return;
    if (shown?.renders === renders && shown.text === text) return;
    await this.#options.append(language, caption, options);
  }

  /** What was said up to a sequence was deleted: nothing that is still rendered of it is wanted. */
  forget(upTo: number): void {
    this.#written.clear();
    this.#forgottenUpTo = upTo;
  }

  /** The room is gone: nothing is appended any more. */
  end(): void {
    this.#isOver = true;
  }
}

/** What was said and is missing in a language. */
export function missingIn(
  rendered: readonly Caption[],
  said: readonly Caption[],
  language: LanguageTag,
): Caption[] {
  const newest = new Map(rendered.map((caption) => [caption.line, caption]));
  const spoken = [...new Map(said.map((caption) => [caption.line, caption])).values()];
  return spoken.filter((caption) => isMissing(newest.get(caption.line), caption, language));
}

/**
 * Whether a line has no translation into a language, or one of what has been corrected since, or was shown
 * as it was said because there was no engine.
 */
function isMissing(
  rendering: Caption | undefined,
  { text, sequence }: Caption,
  language: LanguageTag,
): boolean {
  if (rendering === undefined) return text !== '';
  if (rendering.renders !== null) {
    return rendering.renders < sequence || (text !== '' && isUntranslated(rendering, language));
  }
  // What a person wrote stays, as long as there is the line at all.
  return text === '' && rendering.text !== '' && rendering.sequence < sequence;
}

function isUntranslated({ language }: Caption, wanted: LanguageTag): boolean {
  return baseLanguage(language) !== baseLanguage(wanted);
}
