/**
 * The lines of a room: spoken, typed, corrected, rendered, deleted. Of all nodes that have the room open
 * one does that, its home; the others ask it.
 */
import { randomUUID } from 'node:crypto';
import type { LanguageTag } from '../../shared/language.ts';
import { SPOKEN } from '../../shared/schemas/rooms.ts';
import type { Logger } from '../process/log.ts';
import type { TranslateText } from '../voice/index.ts';
import type { AppendOptions, Caption, CaptionLog, NewCaption } from './caption-log.ts';
import type { SharedCaption } from './embedded-caption-log.ts';
import { NotHome } from './nodes/questions.ts';
import type { SharedRoom } from './nodes/shared-room.ts';
import { Renderings } from './renderings.ts';
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
