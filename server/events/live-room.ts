/**
 * A room while somebody speaks into it or reads along: what is said becomes lines, is translated into the
 * languages that are read, and goes to everybody who reads them.
 */
import { ServiceError } from '../../shared/errors.ts';
import type { LanguageTag } from '../../shared/language.ts';
import { SPOKEN } from '../../shared/schemas/rooms.ts';
import type { Logger } from '../process/log.ts';
import type { CaptionUpdate, SessionRoom, TranslateText } from '../voice/index.ts';
import type { Caption, CaptionLog, CaptionTrack, NewCaption } from './caption-log.ts';
import { Channel, latestLines, missingIn } from './channel.ts';
import { createInterpreter, type Growing, type Interpreter } from './interpreter.ts';
import { createParcel, type FanOut, type Parcel, type Reader } from './reading/fan-out.ts';
import { createRoomWording } from './room-wording.ts';
import type { Room } from './store.ts';

/** How long a language that nobody reads any more is still translated: a phone may be back in a moment. */
const UNREAD_MS = 30_000;
/** What is translated for the first reader of a language: what was said in so many ms, and no more lines. */
const LATE_MS = 10 * 60_000;
const LATE_LINES = 150;
/** Readers that are asked to leave without letting anything else happen. */
const ENDED_AT_ONCE = 100;

export interface LiveRoomOptions {
  room: Room;
  captions: CaptionLog;
  fanOut: FanOut;
  /** Translates as the room's glossary and formality have it. */
  translateText: TranslateText;
  /** Languages of the room that can be spoken. */
  spokenLanguages: (room: Room) => string[];
  log: Logger;
  now?: () => number;
  unreadMs?: number;
}

type Speech = Parameters<SessionRoom['hear']>[0];

export class LiveRoom implements SessionRoom {
  #room: Room;
  #translateText: TranslateText;
  readonly #options: LiveRoomOptions;
  readonly #channels = new Map<string, Channel>();
  #wording;
  #speech: Speech | undefined;
  #growing: Growing | undefined;
  #isOver = false;
  /** Translations of what was said before that number are not wanted any more: it was deleted. */
  #forgottenBefore = 0;
  /** The link by which a session was requested. */
  readonly #linkOfSession = new Map<string, string>();
  readonly #revoked = new Set<string>();
  /** When the last pause began and ended, ms since the epoch: what began to be said in it stays outside. */
  #pause = { fromMs: Infinity, toMs: Infinity };

  constructor(options: LiveRoomOptions) {
    this.#options = options;
    this.#room = options.room;
    this.#translateText = options.translateText;
    this.#wording = createRoomWording(options.room.wishes);
    if (options.room.isPaused) this.#pause.fromMs = -Infinity;
    this.#openAlways();
  }

  get room(): Room {
    return this.#room;
  }

  /** Whether nobody speaks and nobody reads. */
  get isIdle(): boolean {
    return this.#speech === undefined && this.readerCount === 0;
  }

  get readerCount(): number {
    let count = 0;
    for (const { readers } of this.#channels.values()) count += readers.size;
    return count;
  }

  /** Who reads, by language. */
  get readers(): Record<string, number> {
    const counts = [...this.#channels].map(([name, { readers }]) => [name, readers.size] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** The session that speaks, also while the room is paused. */
  get sessionId(): string | undefined {
    return this.#speech?.sessionId;
  }

  get state(): 'waiting' | 'live' | 'paused' {
    if (this.#room.isPaused) return 'paused';
    return this.#speech === undefined ? 'waiting' : 'live';
  }

  /** @returns whether it can be read in a language */
  offers(language: string): boolean {
    return language === SPOKEN || this.#room.wishes.languages.includes(language);
  }

  // What is said.

  /** The one who speaks last has the floor: the session of the one before ends. */
  hear(speech: Speech): void {
    const linkId = this.#linkOfSession.get(speech.sessionId);
    if (this.#isOver || (linkId !== undefined && this.#revoked.has(linkId))) {
      speech.end(new ServiceError('session_ended', NOT_HEARD));
      return;
    }
    const before = this.#speech;
    this.#speech = speech;
    before?.end(new ServiceError('session_ended', TAKEN_OVER));
    this.#grow(undefined);
    this.#sendAll(this.#stateParcel());
    void this.#listen(speech);
  }

  async #listen(speech: Speech): Promise<void> {
    try {
      for await (const update of speech.captions) {
        if (this.#speech !== speech || this.#isOver) return;
        if (this.#room.isPaused) continue;
        await this.#take(update, speech).catch((error: unknown) => {
          this.#options.log.error({ err: error }, 'something said in a room was lost');
        });
      }
    } catch (error) {
      const { sessionId } = speech;
      this.#options.log.info({ err: error, sessionId }, 'a speaker of a room left');
    } finally {
      this.#linkOfSession.delete(speech.sessionId);
      if (this.#speech === speech) {
        this.#speech = undefined;
        this.#grow(undefined);
        this.#sendAll(this.#stateParcel());
      }
    }
  }

  async #take({ sentences }: CaptionUpdate, { beganAtMs }: Speech): Promise<void> {
    if (sentences === undefined) return;
    const isInPause = (startMs: number) =>
      beganAtMs + startMs >= this.#pause.fromMs && beganAtMs + startMs < this.#pause.toMs;
    for (const { text, language, startMs, endMs } of sentences.concluded) {
      if (isInPause(startMs)) continue;
      await this.say({
        text: text.trim(),
        language,
        startMs: Math.round(beganAtMs + startMs),
        endMs: Math.round(beganAtMs + endMs),
        author: 'machine',
      });
    }
    const { growing, isUnsure } = sentences;
    if (growing === undefined || isInPause(growing.startMs)) this.#grow(undefined);
    else {
      const { text, language } = growing;
      this.#grow({ text: this.#wording.spoken(text.trim()), language, isUnsure });
    }
  }

  /** A line of what is said, also one that was typed; with a number, in the place of that one. */
  async say(
    said: Pick<Caption, 'text' | 'language' | 'startMs' | 'endMs' | 'author'> & { line?: number },
  ): Promise<Caption> {
    const { text, line = this.#options.captions.nextLine() } = said;
    const spoken = { ...said, line, renders: null, text: this.#wording.spoken(text) };
    const caption = await this.#append(SPOKEN, spoken);
    const isCorrection = said.line !== undefined && caption.text !== '';
    for (const channel of this.#channels.values()) {
      if (isCorrection && (await this.#isWritten(channel.track, line))) continue;
      channel.interpret([caption]);
    }
    return caption;
  }

  /** Whether a line of a language is of a person: no machine puts another in its place. */
  async #isWritten(track: CaptionTrack, line: number): Promise<boolean> {
    const { captions } = await this.#options.captions.read(track, 0);
    return (
      track.name !== SPOKEN && captions.findLast((each) => each.line === line)?.renders === null
    );
  }

  /** A line of one language that somebody typed. */
  write(
    language: LanguageTag,
    written: Pick<Caption, 'text' | 'startMs' | 'endMs'> & { line?: number },
  ): Promise<Caption> {
    const { text, startMs, endMs, line = this.#options.captions.nextLine() } = written;
    return this.#append(language, {
      line,
      language,
      startMs,
      endMs,
      text: this.#wording.translated(text),
      renders: null,
      author: 'person',
    });
  }

  #grow(growing: Growing | undefined): void {
    this.#growing = growing;
    this.#options.captions.tell(this.#track(SPOKEN), growing?.text ?? '');
    for (const channel of this.#channels.values()) channel.grow(growing);
  }

  #append(name: string, caption: NewCaption): Promise<Caption> {
    const isKept = this.#room.keepMs > 0;
    return this.#options.captions.append(this.#track(name), caption, { isKept });
  }

  #track(name: string): CaptionTrack {
    return { roomId: this.#room.roomId, name };
  }

  // Who reads.

  /** Lets somebody read along; what was said comes first, or what followed `after`. */
  join(reader: Reader, name: string, after: number | undefined): void {
    if (this.#isOver) {
      const farewell = createParcel({ type: 'end', message: NOT_HEARD });
      reader.end(new ServiceError('session_ended', NOT_HEARD), farewell);
      return;
    }
    reader.write(this.#stateParcel().in(reader.encoding));
    this.#channel(name).join(reader, after);
  }

  leave(reader: Reader): void {
    for (const [name, channel] of this.#channels) {
      if (channel.leave(reader)) this.#closeWhenUnread(name, channel);
    }
  }

  #closeWhenUnread(name: string, channel: Channel): void {
    if (this.#room.wishes.always.includes(name)) return;
    const { unreadMs = UNREAD_MS } = this.#options;
    channel.whenUnread(unreadMs, () => this.#close(name));
  }

  /** Sends what a reader has missed, once it has read what it was sent. */
  async catchUp(reader: Reader): Promise<void> {
    for (const channel of this.#channels.values()) await channel.catchUp(reader);
  }

  /** Notes the link by which a session was requested that will speak here. */
  expect(sessionId: string, linkId: string): void {
    this.#linkOfSession.set(sessionId, linkId);
  }

  /** Asks whoever has come by a link to leave, who speaks as well. */
  revoke(linkId: string, reason: ServiceError): void {
    this.#revoked.add(linkId);
    this.endReaders(reason, (reader) => reader.linkId === linkId);
    const speech = this.#speech;
    if (speech !== undefined && this.#linkOfSession.get(speech.sessionId) === linkId) {
      speech.end(reason);
    }
  }

  /** Asks readers to leave. */
  endReaders(reason: ServiceError, which: (reader: Reader) => boolean = () => true): void {
    const leaving = [...this.#channels.values()].flatMap(({ readers }) => [...readers]);
    const farewell = createParcel({ type: 'end', message: reason.message });
    const endSome = () => {
      for (const reader of leaving.splice(-ENDED_AT_ONCE)) {
        if (which(reader)) reader.end(reason, farewell);
      }
      if (leaving.length > 0) setImmediate(endSome);
    };
    endSome();
  }

  /**
   * Lets readers know that their connection lives, asks those to leave whose key has expired, and cuts those
   * that `isStalled` finds.
   */
  keepAlive(isStalled: (reader: Reader) => boolean): void {
    this.#sendAll(createParcel({ type: 'keep_alive' }));
    const { now = Date.now } = this.#options;
    const nowMs = now();
    let hasExpired = false;
    for (const { readers } of this.#channels.values()) {
      for (const reader of readers) {
        hasExpired ||= reader.expiresAtMs <= nowMs;
        if (isStalled(reader)) reader.destroy();
      }
    }
    if (!hasExpired) return;
    const reason = new ServiceError('forbidden', EXPIRED);
    this.endReaders(reason, ({ expiresAtMs }) => expiresAtMs <= nowMs);
  }

  #sendAll(parcel: Parcel): void {
    for (const channel of this.#channels.values()) channel.send(parcel);
  }

  #stateParcel(): Parcel {
    const { name, wishes } = this.#room;
    return createParcel({
      type: 'room',
      name,
      state: this.state,
      languages: wishes.languages,
      spoken_languages: this.#options.spokenLanguages(this.#room),
      ...(wishes.sourceLanguage !== null && { source_language: wishes.sourceLanguage }),
    });
  }

  #channel(name: string): Channel {
    const open = this.#channels.get(name);
    if (open !== undefined) return open;
    const track = this.#track(name);
    const { captions, fanOut, log } = this.#options;
    const interpreter = name === SPOKEN ? undefined : this.#interpreter(track);
    const channel = new Channel({ track, captions, fanOut, interpreter, log });
    this.#channels.set(name, channel);
    channel.grow(this.#growing);
    if (name !== SPOKEN) void this.#interpretLate(channel);
    return channel;
  }

  #interpreter(track: CaptionTrack): Interpreter {
    const { captions, log } = this.#options;
    return createInterpreter({
      language: track.name,
      translateText: (...wish) => this.#translateText(...wish),
      wording: () => this.#wording,
      append: async (caption) => {
        if ((caption.renders ?? 0) >= this.#forgottenBefore)
          await this.#append(track.name, caption);
      },
      tell: (tentative) => captions.tell(track, tentative),
      log,
    });
  }

  /** Renders what was said before anybody read this language. */
  async #interpretLate(channel: Channel): Promise<void> {
    const { now = Date.now, captions, log } = this.#options;
    try {
      const [said, rendered] = await Promise.all([
        captions.read(this.#track(SPOKEN), 0),
        captions.read(channel.track, 0),
      ]);
      const sinceMs = now() - LATE_MS;
      const late = missingIn(rendered.captions, said.captions)
        .filter(({ endMs }) => endMs >= sinceMs)
        .slice(-LATE_LINES);
      channel.interpret(late, { areOld: true });
    } catch (error) {
      log.error({ err: error }, 'what was said in a room could not be read');
    }
  }

  #close(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined || channel.readers.size > 0) return;
    if (this.#room.wishes.always.includes(name)) return;
    channel.close();
    this.#channels.delete(name);
  }

  /** A language of the room, whole: what nobody has read is translated now. */
  async transcript(name: string, signal: AbortSignal): Promise<Caption[]> {
    const { captions } = this.#options;
    const track = this.#track(name);
    if (name !== SPOKEN) {
      const [said, rendered] = await Promise.all([
        captions.transcript(this.#track(SPOKEN)),
        captions.transcript(track),
      ]);
      const interpreter = this.#interpreter(track);
      signal.addEventListener('abort', () => interpreter.stop(), { once: true });
      interpreter.conclude(missingIn(rendered, said));
      await interpreter.idle();
      signal.throwIfAborted();
    }
    return latestLines(await captions.transcript(track));
  }

  // How the room changes.

  change(room: Room, translateText: TranslateText): void {
    this.#notePause(room.isPaused);
    this.#room = room;
    this.#translateText = translateText;
    this.#wording = createRoomWording(room.wishes);
    if (room.isPaused) this.#grow(undefined);
    this.#openAlways();
    for (const [name, channel] of this.#channels) {
      if (this.offers(name)) {
        this.#closeWhenUnread(name, channel);
        continue;
      }
      const left = [...channel.readers];
      for (const reader of left) channel.leave(reader);
      this.#close(name);
      for (const reader of left) this.join(reader, SPOKEN, undefined);
    }
    this.#sendAll(this.#stateParcel());
  }

  #notePause(isPaused: boolean): void {
    if (isPaused === this.#room.isPaused) return;
    const { now = Date.now } = this.#options;
    this.#pause = isPaused
      ? { fromMs: now(), toMs: Infinity }
      : { fromMs: this.#pause.fromMs, toMs: now() };
  }

  #openAlways(): void {
    for (const language of this.#room.wishes.always) this.#channel(language);
  }

  /** What was said is deleted: readers are shown nothing of it any more. */
  async forget(): Promise<void> {
    const { captions } = this.#options;
    this.#forgottenBefore = captions.nextLine();
    await captions.forget(this.#room.roomId);
    this.#forgottenBefore = captions.nextLine();
    for (const channel of this.#channels.values()) channel.clear();
  }

  /** Ends the session that speaks, every language, and every reader. */
  end(reason: ServiceError): void {
    this.#isOver = true;
    this.#speech?.end(reason);
    this.endReaders(reason);
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
    this.#options.captions.release(this.#room.roomId);
  }
}

const NOT_HEARD = 'Nobody is heard in the room any more by this session: request another one.';
const EXPIRED = 'The link has expired: ask for another one.';
const TAKEN_OVER = 'Somebody else speaks in the room now: the floor is theirs.';
