/**
 * The lines of a room: spoken, typed, corrected, deleted, and rendered into its other languages. Of all nodes
 * that have the room open one does that, its home; the others ask it.
 */
import { randomUUID } from 'node:crypto';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { SPOKEN } from '../../shared/schemas/rooms.ts';
import type { Logger } from '../process/log.ts';
import type { TranslateText } from '../voice/index.ts';
import type { AppendOptions, Caption, CaptionLog, NewCaption } from './caption-log.ts';
import type { SharedCaption } from './embedded-caption-log.ts';
import { createInterpreter, type Interpreter, type Rendering } from './interpreter.ts';
import { NotHome } from './nodes/questions.ts';
import type { SharedRoom } from './nodes/shared-room.ts';
import type { RoomWording } from './room-wording.ts';
import type { Sentence } from './speaker.ts';

/** How long whoever types waits for another node, in ms; who wants a line spoken, or all of them rendered. */
const ASK_MS = 10_000;
const SPEAK_MS = 60_000;
const COMPLETE_MS = 10 * 60_000;

export type AppendedLine = Pick<Caption, 'line' | 'sequence'>;
export type Said = Pick<Caption, 'text' | 'language' | 'startMs' | 'endMs' | 'author'> & {
  line?: number;
};
export type Written = Pick<Caption, 'text' | 'startMs' | 'endMs'> & { line?: number };

/** What one node asks of the one that is home. */
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
  /** Somebody has said something. */
  onUsed: () => void;
  /** What is said is to be rendered. */
  onSaid: (caption: Caption) => void;
  /** What was said up to a sequence is deleted. */
  onForgotten: (upTo: number) => void;
  /** Undefined where there is one node. */
  share: SharedRoom | undefined;
  /** Speaks a line for another node. */
  speak: (wish: unknown) => Promise<object>;
  log: Logger;
}

export class RoomLines {
  readonly renderings: Renderings;
  readonly #options: RoomLinesOptions;
  #keepMs: number;
  /** What was said from that number on is kept, and so are its translations. */
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

  /** A line of what is said, also one that was typed; with a number, in the place of that one. */
  async say(said: Said): Promise<AppendedLine> {
    return this.#atHome({ say: said }, (wish) => this.#say(said, { wish }));
  }

  /** A line that somebody says here. @throws NotHome where another node is home by now */
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

  /** A line of one language that somebody typed. */
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
    // PostgreSQL keeps none of these.
    const appended = { ...caption, text: caption.text.replaceAll('\0', '') };
    const appending = captions.append({ roomId, name }, appended, { ...marks, isKept });
    this.#appending.add(appending);
    const settle = () => void this.#appending.delete(appending);
    appending.then(settle, settle);
    return appending;
  }

  /** Resolves when what was said is appended. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#appending]);
  }

  /** How long what is said from now on is kept. */
  keep(keepMs: number): void {
    if (keepMs === 0) this.#keptSince = Infinity;
    else if (this.#keepMs === 0) this.#keptSince = this.#options.captions.nextLine();
    this.#keepMs = keepMs;
  }

  /** Goes on from what another node has said: what it has not kept is not kept here either. */
  takeOver(): void {
    const unkeptUpTo = this.#options.share?.unkeptUpTo() ?? 0;
    this.#keptSince = Math.max(this.#keptSince, unkeptUpTo + 1);
  }

  /** What was said is deleted. */
  async forget(): Promise<void> {
    await this.#atHome({ forget: true }, () => this.#forget());
  }

  async #forget(): Promise<object> {
    const { captions, roomId, onForgotten } = this.#options;
    await captions.forget(roomId, onForgotten);
    return {};
  }

  /** Renders what nobody has read of a language, so that its transcript is whole. */
  async complete(name: string, signal: AbortSignal): Promise<void> {
    if (name === SPOKEN) return;
    const complete = async () => {
      await this.renderings.complete(name, signal);
      return {};
    };
    await this.#atHome({ complete: name }, complete, COMPLETE_MS);
  }

  /** Has a line spoken at home, where all lines are. */
  async speakThere(wish: unknown): Promise<unknown> {
    const speak = () => this.#options.speak(wish);
    return this.#atHome({ speak: wish }, speak, SPEAK_MS);
  }

  /** Says once more what was told here, and to nobody else. @param isHeardElsewhere whether what was spoken is */
  async sayAgain(
    lost: readonly SharedCaption[],
    isHeardElsewhere: () => Promise<boolean>,
  ): Promise<void> {
    const isHeard = await isHeardElsewhere();
    for (const { track, caption } of lost) {
      const { author, renders } = caption;
      // Renderings are made again.
      if (renders !== null || (isHeard && author === 'machine')) continue;
      if (track.name === SPOKEN) await this.say(caption);
      else await this.write(track.name, caption);
    }
  }

  /** Does something where the home of the room is. */
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

  /** Does here what another node wishes. */
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

/** What is said in a room, in its other languages: what is missing, who renders it, and what stays. */
class Renderings {
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
