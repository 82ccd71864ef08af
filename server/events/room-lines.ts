/**
 * The lines of a room: spoken, typed, corrected, deleted, and rendered into its other languages. Only the
 * home, one of the nodes that have the room open, does this; the other nodes ask it.
 */
import { randomUUID } from 'node:crypto';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { SPOKEN } from '../../shared/schemas/rooms.ts';
import type { Logger } from '../process/log.ts';
import type { TranslateText } from '../voice/index.ts';
import type { AppendOptions, Caption, CaptionLog, NewCaption } from './caption-log.ts';
import type { SharedCaption } from './embedded-caption-log.ts';
import { Interpreter, type Rendering } from './interpreter.ts';
import { NotHome } from './nodes/questions.ts';
import type { SharedRoom } from './nodes/shared-room.ts';
import type { RoomWording } from './room-wording.ts';
import type { Sentence } from './speaker.ts';

/**
 * How long a request to the home may take, in ms: typing a line, synthesising one, or completing a
 * transcript.
 */
const ASK_MS = 10_000;
const SPEAK_MS = 60_000;
const COMPLETE_MS = 10 * 60_000;

export type AppendedLine = Pick<Caption, 'line' | 'sequence'>;
export type Said = Pick<Caption, 'text' | 'language' | 'startMs' | 'endMs' | 'author'> & {
  line?: number;
};
export type Written = Pick<Caption, 'text' | 'startMs' | 'endMs'> & { line?: number };

/** A request of another node to the home. */
interface RoomWish {
  say?: Said;
  write?: { language: LanguageTag; written: Written };
  forget?: true;
  complete?: string;
  speak?: unknown;
}

type Marks = Pick<AppendOptions, 'wish' | 'heard' | 'isLate'>;

export interface RoomLinesOptions {
  roomId: string;
  keepMs: number;
  captions: CaptionLog;
  translateText: TranslateText;
  wording: () => RoomWording;
  /** Called whenever a line is appended. */
  onUsed: () => void;
  /** Called with a spoken line, which is to be rendered. */
  onSaid: (caption: Caption) => void;
  /** Called when lines up to a sequence have been deleted. */
  onForgotten: (upTo: number) => void;
  /** Undefined on a single node. */
  share: SharedRoom | undefined;
  /** Synthesises a line for another node. */
  speak: (wish: unknown) => Promise<object>;
  log: Logger;
}

export class RoomLines {
  readonly renderings: Renderings;
  readonly #options: RoomLinesOptions;
  #keepMs: number;
  /** Lines from this number on are kept, and so are their translations. */
  #keptSince: number;
  readonly #appending = new Set<Promise<unknown>>();

  constructor(options: RoomLinesOptions) {
    this.#options = options;
    this.#keepMs = options.keepMs;
    this.#keptSince = options.keepMs === 0 ? Infinity : 0;
    this.renderings = new Renderings({
      ...options,
      append: (...caption) => this.#append(...caption),
    });
  }

  /** Appends a spoken or typed line; with a line number, it replaces that line. */
  async say(said: Said): Promise<AppendedLine> {
    return this.#atHome({ say: said }, (wish) => this.#say(said, { wish }));
  }

  /** Appends a line spoken at this node. @throws NotHome if another node has become the home */
  async hear({ heardUpToMs, ...sentence }: Sentence, sessionId: string): Promise<void> {
    const heard = { sessionId, upToMs: heardUpToMs };
    await this.#say({ ...sentence, author: 'machine' }, { heard });
  }

  async #say({ line, ...said }: Said, marks: Marks): Promise<Caption> {
    const { captions, wording, onSaid } = this.#options;
    const text = wording().spoken(said.text);
    const numbered = { ...said, line: line ?? captions.nextLine() };
    const caption = await this.#append(SPOKEN, { ...numbered, renders: null, text }, marks);
    onSaid(caption);
    return caption;
  }

  /** Appends a line that a person typed in one language. */
  async write(language: LanguageTag, written: Written): Promise<AppendedLine> {
    return this.#atHome({ write: { language, written } }, (wish) =>
      this.#write(language, written, { wish }),
    );
  }

  #write(language: LanguageTag, written: Written, marks: Marks): Promise<Caption> {
    const { captions, wording } = this.#options;
    const { text, startMs, endMs, line = captions.nextLine() } = written;
    if (written.line !== undefined) this.renderings.noteWritten(language, line);
    const caption = {
      ...{ line, language, startMs, endMs },
      text: wording().translated(text),
      renders: null,
      author: 'person' as const,
    };
    return this.#append(language, caption, marks);
  }

  #append(name: string, caption: NewCaption, marks: Marks): Promise<Caption> {
    const { captions, roomId, onUsed } = this.#options;
    const isKept = (caption.renders ?? Infinity) >= this.#keptSince && this.#keepMs > 0;
    onUsed();
    // PostgreSQL text cannot contain NUL.
    const appended = { ...caption, text: caption.text.replaceAll('\0', '') };
    const appending = captions.append({ roomId, name }, appended, { ...marks, isKept });
    this.#appending.add(appending);
    const settle = () => void this.#appending.delete(appending);
    appending.then(settle, settle);
    return appending;
  }

  /** Resolves when all pending lines are appended. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#appending]);
  }

  /** Sets how long lines are kept from now on, in ms. */
  keep(keepMs: number): void {
    if (keepMs === 0) this.#keptSince = Infinity;
    else if (this.#keepMs === 0) this.#keptSince = this.#options.captions.nextLine();
    this.#keepMs = keepMs;
  }

  /** Continues from another home: lines that it did not keep are not kept here either. */
  takeOver(): void {
    const unkeptUpTo = this.#options.share?.unkeptUpTo() ?? 0;
    this.#keptSince = Math.max(this.#keptSince, unkeptUpTo + 1);
  }

  /** Deletes all lines of the room. */
  async forget(): Promise<void> {
    await this.#atHome({ forget: true }, () => this.#forget());
  }

  async #forget(): Promise<object> {
    const { captions, roomId, onForgotten } = this.#options;
    await captions.forget(roomId, onForgotten);
    return {};
  }

  /** Renders every line that a language lacks, so that its transcript is complete. */
  async complete(name: string, signal: AbortSignal): Promise<void> {
    if (name === SPOKEN) return;
    const complete = async () => {
      await this.renderings.complete(name, signal);
      return {};
    };
    await this.#atHome({ complete: name }, complete, COMPLETE_MS);
  }

  /** Has a line synthesised by the home, which synthesises all lines. */
  async speakThere(wish: unknown): Promise<unknown> {
    const speak = () => this.#options.speak(wish);
    return this.#atHome({ speak: wish }, speak, SPEAK_MS);
  }

  /**
   * Appends again the lines that only this node told. @param isHeardElsewhere whether another node hears the
   * session
   */
  async sayAgain(
    lost: readonly SharedCaption[],
    isHeardElsewhere: () => Promise<boolean>,
  ): Promise<void> {
    const isHeard = await isHeardElsewhere();
    for (const { track, caption } of lost) {
      const { author, renders } = caption;
      // The new home renders again by itself.
      if (renders !== null || (isHeard && author === 'machine')) continue;
      if (track.name === SPOKEN) await this.say(caption);
      else await this.write(track.name, caption);
    }
  }

  /** Acts here if this node is the home, else asks the home. */
  async #atHome<Done extends object>(
    wish: RoomWish,
    act: (id: string) => Promise<Done>,
    forMs = ASK_MS,
  ): Promise<Done> {
    const { share } = this.#options;
    const id = randomUUID();
    while (share !== undefined && !share.isClosed) {
      await share.ready;
      if (!share.isHome) return (await share.ask(wish, { forMs, id })) as Done;
      try {
        return await act(id);
      } catch (error) {
        if (!(error instanceof NotHome)) throw error;
      }
    }
    return act(id);
  }

  /** Carries out the request of another node. */
  async answer(wish: unknown, id: string): Promise<unknown> {
    const { say, write, forget, complete, speak } = wish as RoomWish;
    if (say !== undefined) return lineOf(await this.#say(say, { wish: id }));
    if (write !== undefined) {
      return lineOf(await this.#write(write.language, write.written, { wish: id }));
    }
    if (forget === true) return this.#forget();
    if (complete !== undefined) {
      return this.renderings.complete(complete, AbortSignal.timeout(COMPLETE_MS));
    }
    return this.#options.speak(speak);
  }
}

function lineOf({ line, sequence }: Caption): AppendedLine {
  return { line, sequence };
}

interface RenderingsOptions extends Pick<
  RoomLinesOptions,
  'roomId' | 'captions' | 'translateText' | 'wording' | 'log'
> {
  append: (
    language: LanguageTag,
    caption: NewCaption,
    options: { isLate: boolean },
  ) => Promise<unknown>;
}

/**
 * Translations of a room's lines: finds which are missing, creates interpreters, and decides which
 * translation stands.
 */
class Renderings {
  readonly #options: RenderingsOptions;
  /** Lines written by a person, by language and number: they may not have been appended yet. */
  readonly #written = new Set<string>();
  /** Languages being completed. Requests run one after the other, so the next one finds the work done. */
  readonly #completing = new Map<string, Promise<void>>();
  /** Lines up to this sequence were deleted, so their translations are discarded. */
  #forgottenUpTo = 0;
  #isOver = false;

  constructor(options: RenderingsOptions) {
    this.#options = options;
  }

  /** Creates an interpreter into a language. */
  interpreter(language: LanguageTag): Interpreter {
    const { roomId, captions, translateText, wording, log } = this.#options;
    return new Interpreter({
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

  /**
   * Returns recent lines that ended since a moment (ms since the epoch) and lack a translation into a
   * language.
   */
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

  /** Renders all lines that a language lacks. */
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
    // Old lines are rendered from the end, so reversing them renders the first line first.
    interpreter.conclude([...said.values()].reverse(), { areOld: true });
    await interpreter.idle();
    signal.throwIfAborted();
  }

  /** To be called before a person's replacement of a line is appended. */
  noteWritten(language: LanguageTag, line: number): void {
    this.#written.add(`${language} ${line}`);
  }

  /**
   * Appends a translation, unless a person's text, a newer translation or the same one stands. A removed line
   * is removed regardless.
   */
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

  /** Discards pending translations of lines up to a sequence, as these were deleted. */
  forget(upTo: number): void {
    this.#written.clear();
    this.#forgottenUpTo = upTo;
  }

  /** The room is over: nothing more is appended. */
  end(): void {
    this.#isOver = true;
  }
}

/** Returns the spoken lines that lack a translation into a language. */
function missingIn(
  rendered: readonly Caption[],
  said: readonly Caption[],
  language: LanguageTag,
): Caption[] {
  const newest = new Map(rendered.map((caption) => [caption.line, caption]));
  const spoken = [...new Map(said.map((caption) => [caption.line, caption])).values()];
  return spoken.filter((caption) => isMissing(newest.get(caption.line), caption, language));
}

/**
 * Whether a line has no translation into a language, or only one that predates a correction, or was shown
 * untranslated because no engine answered.
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
  // A person's text stands, unless the line itself was removed.
  return text === '' && rendering.text !== '' && rendering.sequence < sequence;
}

function isUntranslated({ language }: Caption, wanted: LanguageTag): boolean {
  return baseLanguage(language) !== baseLanguage(wanted);
}
