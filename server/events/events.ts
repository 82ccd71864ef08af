/** Operations on rooms, for every kind of client: accounts, speakers, captioners and readers. */
import { ServiceError, invalid } from '../../shared/errors.ts';
import {
  MAX_CAPTION_CHARACTERS,
  SPOKEN,
  transcriptFormats,
  type RoomChange,
  type RoomCreation,
  type RoomInfo,
  type RoomLink as DescribedLink,
  type RoomRole,
  type TypedCaption,
} from '../../shared/schemas/rooms.ts';
import { canonicalLanguage, languageSpelling } from '../../shared/language.ts';
import { countCodePoints, FORBIDDEN_CHARACTER } from '../text/code-points.ts';
import type { CaptionLog } from './caption-log.ts';
import type { LiveRoom } from './live-room.ts';
import type { LiveRooms } from './live-rooms.ts';
import type { ReaderSeats } from './nodes/reader-seats.ts';
import type { ReaderDesk } from './reading/readers.ts';
import type { AdmittedReader, ReaderWish } from './reading/sockets.ts';
import type { RoomPass, SpeakerPasses } from './room-keys.ts';
import { oneOf, roomUrl, type Rooms } from './rooms.ts';
import type { Speech } from './speaker.ts';
import { spokenFormats, type SpokenFormat, type SpokenLines } from './spoken-lines.ts';
import { isClosedBy, type Room, type RoomLink } from './store.ts';
import { writeTranscript, type TranscriptFile } from './transcripts.ts';

/** Duration given to a typed caption, in ms, as no speech determines it. */
const TYPED_MS = 2_000;

/** Fields of a room that determine how it is translated. */
const TRANSLATION_WISHES = ['languages', 'source_language', 'glossary_id', 'formality'] as const;

export interface EventsOptions {
  rooms: Rooms;
  live: LiveRooms;
  captions: CaptionLog;
  readers: ReaderDesk;
  spokenLines: SpokenLines;
  /**
   * Returns a paying key of the account: the first of these that is active, or else any active developer key.
   * @throws ServiceError forbidden
   */
  payingKey: (accountId: string, keyIds: readonly (string | undefined)[]) => Promise<string>;
  endSession: (sessionId: string) => void;
  /** Undefined on a single node. */
  passes?: SpeakerPasses | undefined;
  /** Undefined on a single server. */
  seats?: ReaderSeats | undefined;
}

/** The account that creates or changes a room; `keyId` is undefined for a signed-in person. */
export interface RoomOwner {
  accountId: string;
  keyId: string | undefined;
}

/** A request to hear one line of a room. */
interface SpeechWish {
  language: string;
  line: number;
  format?: string;
  address: string;
}

/** Operations on rooms. Its methods throw ServiceError, as those of {@link Rooms} do. */
export class Events {
  readonly rooms: Rooms;
  readonly #options: EventsOptions;
  /** The last change of each room; changes of one room run one after the other. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(options: EventsOptions) {
    this.#options = options;
    this.rooms = options.rooms;
  }

  // Operations of accounts.

  async create({ accountId, keyId }: RoomOwner, creation: RoomCreation): Promise<Room> {
    const { payingKey, live } = this.#options;
    const owner = { accountId, keyId: await payingKey(accountId, [keyId]) };
    return this.rooms.create(owner, creation, (room) => live.check(room));
  }

  /**
   * Changes a room. If its key is no longer active, another key of the account pays from then on, preferably
   * the caller's.
   */
  async change(owner: RoomOwner, roomId: string, change: RoomChange): Promise<Room> {
    const { accountId } = owner;
    return this.#inTurn(roomId, async () => {
      await this.#renewKey(await this.rooms.get(accountId, roomId), owner);
      return this.#change(accountId, roomId, change);
    });
  }

  /** Pauses or resumes a room; speakers may do this as well as the account. */
  async pause({ accountId, roomId }: Room, paused: boolean): Promise<void> {
    await this.#inTurn(roomId, () => this.#change(accountId, roomId, { paused }));
  }

  async #inTurn<Result>(roomId: string, change: () => Promise<Result>): Promise<Result> {
    const before = this.#changes.get(roomId) ?? Promise.resolve();
    const changed = before.then(change);
    const settled = changed.catch(() => undefined);
    this.#changes.set(roomId, settled);
    void settled.then(() => {
      if (this.#changes.get(roomId) === settled) this.#changes.delete(roomId);
    });
    return changed;
  }

  async #renewKey(room: Room, { accountId, keyId }: RoomOwner): Promise<void> {
    const keys = [room.keyId, keyId];
    const paying = await this.#options.payingKey(accountId, keys).catch((error: unknown) => {
      // A room can be changed even when no active key pays for it.
      if (error instanceof ServiceError && error.code === 'forbidden') return room.keyId;
      throw error;
    });
    if (paying !== room.keyId) await this.rooms.renewKey(room, paying);
  }

  async #change(accountId: string, roomId: string, change: RoomChange): Promise<Room> {
    const { live, captions } = this.#options;
    const before = await this.rooms.get(accountId, roomId);
    const room = await this.rooms.change(accountId, roomId, change, async (each) => {
      if (TRANSLATION_WISHES.some((name) => change[name] !== undefined)) await live.check(each);
    });
    await live.changed(room, { isClosed: isClosedBy(room, before) });
    // With `keep_hours` set to 0, stored captions are deleted at once.
    if (room.keepMs === 0 && change.keep_hours !== undefined) await captions.erase(roomId);
    return room;
  }

  async delete(accountId: string, roomId: string): Promise<void> {
    await this.rooms.delete(accountId, roomId);
    this.#options.live.deleted(roomId);
  }

  async revoke(room: Room, linkId: string): Promise<void> {
    await this.rooms.revoke(room, linkId);
    this.#options.live.revoked(room.roomId, linkId);
  }

  async transcript(
    room: Room,
    { language: wished = SPOKEN, format = 'json' }: { language?: string; format?: string },
    signal: AbortSignal,
  ): Promise<TranscriptFile & { fileName: string }> {
    const known = oneOf('format', format, transcriptFormats);
    const { running, language } = await this.#open(room, wished);
    await running.complete(language, signal);
    const { roomId } = room;
    const captions = this.#options.captions.transcript({ roomId, name: language });
    const file = await writeTranscript(captions, { roomId, format: known, title: room.name });
    return { ...file, fileName: `transcript-${room.roomId}-${language}.${known}` };
  }

  /** Deletes everything said in a room, including its audio clips. */
  async forget(room: Room): Promise<void> {
    await (await this.#options.live.open(room)).forget();
    this.#options.spokenLines.forget(room.roomId);
  }

  async list(accountId: string, base: string): Promise<RoomInfo[]> {
    const [rooms, links] = await Promise.all([
      this.rooms.list(accountId),
      this.rooms.allLinks(accountId),
    ]);
    return rooms.map((room) => this.#describe(room, links.get(room.roomId) ?? [], base));
  }

  async describe(room: Room, base: string): Promise<RoomInfo> {
    return this.#describe(room, await this.rooms.links(room), base);
  }

  #describe(room: Room, links: readonly RoomLink[], base: string): RoomInfo {
    const { wishes } = room;
    const present = this.#options.live.presence(room.roomId);
    const state = present?.sessionId === undefined ? 'waiting' : 'live';
    return {
      room_id: room.roomId,
      name: room.name,
      languages: wishes.languages,
      always: wishes.always,
      ...(wishes.sourceLanguage !== null && { source_language: wishes.sourceLanguage }),
      access: wishes.access,
      ...(wishes.passcode !== null && { passcode: wishes.passcode }),
      keep_hours: room.keepMs / 3_600_000,
      ...(wishes.glossaryId !== null && { glossary_id: wishes.glossaryId }),
      ...(wishes.formality !== null && { formality: wishes.formality }),
      replacements: wishes.replacements,
      hidden_words: wishes.hiddenWords,
      paused: room.isPaused,
      state: room.isPaused ? 'paused' : state,
      ...(present?.sessionId !== undefined && { session_id: present.sessionId }),
      viewers: present?.readers ?? {},
      ...urlsOf(room, links, base),
      creation_time: new Date(room.createdAtMs).toISOString(),
    };
  }

  // Operations of clients with a room key.

  /** Admits a reader. @throws ServiceError forbidden, too_many_sessions, too_many_requests */
  async admit({
    roomId,
    key,
    language: wished = SPOKEN,
    address,
  }: ReaderWish): Promise<AdmittedReader> {
    const { readers } = this.#options;
    readers.checkJoin(address);
    const room = await this.rooms.find(roomId);
    await this.rooms.passOf(room, key);
    const { running: live, language } = await this.#open(room, wished);
    const release = await this.#placeFor(address, live);
    try {
      for (;;) {
        // Repeats the check until the room is unchanged across it: any later change then finds this reader
        // inside.
        const { room: current } = live;
        const pass = await this.rooms.passOf(current, key);
        if (live.room === current) return { live, language, pass, release };
      }
    } catch (error) {
      release();
      throw error;
    }
  }

  /** @returns a function that gives the place back */
  async #placeFor(address: string, live: LiveRoom): Promise<() => void> {
    const { readers, seats } = this.#options;
    const { roomId } = live.room;
    const leave = readers.admit(roomId, address);
    try {
      const known = readers.countIn(roomId) + live.readersElsewhere;
      const leaveSeat = await seats?.take(roomId, known);
      return () => {
        leave();
        leaveSeat?.();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * Exchanges a passcode for a reader's key.
   * @throws ServiceError forbidden, too_many_requests, broker_unavailable
   */
  async enter(roomId: string, passcode: string, address: string) {
    const room = await this.rooms.find(roomId);
    const entry = this.rooms.enter(room, passcode);
    const isRight = entry !== undefined;
    await this.#options.readers.checkTries(roomId, address, { isRight });
    if (!isRight) throw new ServiceError('forbidden', 'The passcode is not right.');
    const { key, expiresAtMs } = entry;
    return { key, expiry_time: new Date(expiresAtMs).toISOString() };
  }

  /**
   * Records the pass with which a voice session was requested: the session ends when the pass does.
   *
   * @throws ServiceError forbidden if the link has been revoked meanwhile
   */
  async expectSpeaker(room: Room, sessionId: string, pass: RoomPass): Promise<void> {
    await this.#options.passes?.note(sessionId, pass);
    const running = await this.#options.live.open(room);
    const surplus = running.expect(sessionId, pass);
    if (surplus !== undefined) this.#options.endSession(surplus);
    const { linkId } = pass;
    if (linkId === undefined) return;
    // Checked after the session is expected, so that a later revocation finds it.
    const links = await this.rooms.links(room);
    if (!links.some((link) => link.linkId === linkId)) throw running.revoke(linkId);
  }

  /** Gives a session the floor of a room. @throws ServiceError forbidden if its link was revoked meanwhile */
  async hear(room: Room, speech: Speech): Promise<void> {
    const { live, passes } = this.#options;
    const running = await live.open(room);
    // Speakers are heard even while the broker is unreachable.
    const pass = await passes?.find(speech.sessionId).catch(() => undefined);
    const links = pass?.linkId === undefined ? [] : await this.rooms.links(room);
    if (pass?.linkId !== undefined && !links.some(({ linkId }) => linkId === pass.linkId)) {
      throw running.revoke(pass.linkId);
    }
    running.hear(speech, pass);
  }

  /**
   * Adds a typed line, or replaces an existing one.
   * @throws ServiceError invalid_request, not_found, too_many_requests
   */
  async type(room: Room, typed: TypedCaption): Promise<{ line: number }> {
    this.#options.readers.checkTyped(room.roomId);
    const { language: wished = SPOKEN, line } = typed;
    const text = checkedText(typed.text);
    const { running, language } = await this.#open(room, wished);
    if (text === '' && line === undefined) {
      throw invalid("Value for 'text' not supported: it is empty.");
    }
    const before = line === undefined ? undefined : await this.#lineOf(room, { language, line });
    const said = {
      text,
      startMs: before?.startMs ?? Date.now(),
      endMs: before?.endMs ?? Date.now() + TYPED_MS,
      ...(line !== undefined && { line }),
    };
    const caption =
      language === SPOKEN
        ? await running.say({
            ...said,
            language: before?.language ?? (await this.#spokenLanguage(room, typed)),
            author: 'person',
          })
        : await running.write(language, said);
    return { line: caption.line };
  }

  /**
   * Returns the language of a typed text: as given, else the room's, else that of the last line, else
   * English.
   */
  async #spokenLanguage(
    { roomId, wishes }: Room,
    { source_language: given }: TypedCaption,
  ): Promise<string> {
    const known = given === undefined ? wishes.sourceLanguage : canonicalLanguage(given);
    if (known === undefined) {
      throw invalid("Value for 'source_language' not supported: it is no language.");
    }
    if (known !== null) return known;
    const { captions } = await this.#options.captions.read({ roomId, name: SPOKEN }, 0);
    return captions.at(-1)?.language ?? 'en';
  }

  /**
   * Returns a line as audio.
   * @throws ServiceError not_found, invalid_request, synthesis_failed, too_many_requests
   */
  async speech(
    room: Room,
    { language: wished, line, format = 'webm', address }: SpeechWish,
  ): Promise<{ contentType: string; clip: Buffer }> {
    const { captions, spokenLines, readers } = this.#options;
    const known = oneOf('format', format, Object.keys(spokenFormats) as SpokenFormat[]);
    const { running, language } = await this.#open(room, wished);
    const { captions: recent } = await captions.read({ roomId: room.roomId, name: language }, 0);
    const caption = recent.findLast((each) => each.line === line);
    if (caption === undefined || caption.text === '') {
      throw new ServiceError('not_found', 'The room has no such line, or it was said long ago.');
    }
    if (!spokenLines.has(room.roomId, caption, known)) readers.checkSpeech(address);
    const elsewhere = running.isHome ? undefined : (wish: object) => running.speakThere(wish);
    const clip = await spokenLines.speak(room.roomId, caption, known, elsewhere);
    return { contentType: spokenFormats[known], clip };
  }

  /** @throws ServiceError invalid_request if the room does not offer the language */
  async #open(room: Room, wished: string): Promise<{ running: LiveRoom; language: string }> {
    const running = await this.#options.live.open(room);
    const language = languageSpelling(wished);
    if (running.offers(language)) return { running, language };
    const possible = [SPOKEN, ...room.wishes.languages].join(', ');
    throw invalid(`Value for 'language' not supported. Possible: ${possible}.`);
  }

  /** @throws ServiceError not_found */
  async #lineOf({ roomId }: Room, { language, line }: { language: string; line: number }) {
    const { captions } = this.#options;
    // A person may type a translation before the machine has produced one.
    for (const name of new Set([language, SPOKEN])) {
      const found = await captions.find({ roomId, name }, line);
      if (found !== undefined) return found;
    }
    throw new ServiceError('not_found', 'The room has no such line.');
  }
}

export function describeLink(room: Room, link: RoomLink, base: string): DescribedLink {
  return {
    link_id: link.linkId,
    role: link.role,
    label: link.label,
    url: roomUrl(base, room, { role: link.role, link }),
    ...(link.expiresAtMs !== null && { expiry_time: new Date(link.expiresAtMs).toISOString() }),
    creation_time: new Date(link.createdAtMs).toISOString(),
  };
}

/** Returns the addresses to hand out, each with the first link of its role that never expires. */
function urlsOf(room: Room, links: readonly RoomLink[], base: string) {
  const { access } = room.wishes;
  const linkOf = (role: RoomRole) =>
    links.find((link) => link.role === role && link.expiresAtMs === null);
  const urlFor = (role: RoomRole, isOverlay = false) => {
    // A projector cannot enter a passcode, so its address carries a key.
    const needsKey = role !== 'viewer' || access === 'link' || (isOverlay && access === 'passcode');
    const link = needsKey ? linkOf(role) : undefined;
    if (needsKey && link === undefined) return undefined;
    return roomUrl(base, room, { role, isOverlay, ...(link !== undefined && { link }) });
  };
  const urls = {
    viewer_url: urlFor('viewer'),
    overlay_url: urlFor('viewer', true),
    speaker_url: urlFor('speaker'),
    captioner_url: urlFor('captioner'),
  };
  type Urls = Partial<Record<keyof typeof urls, string>>;
  return Object.fromEntries(Object.entries(urls).filter(([, url]) => url !== undefined)) as Urls;
}

function checkedText(given: string): string {
  const text = given.replace(/\s+/g, ' ').trim();
  if (FORBIDDEN_CHARACTER.test(text)) {
    throw invalid("Value for 'text' not supported: it contains a control character.");
  }
  if (countCodePoints(text) <= MAX_CAPTION_CHARACTERS) return text;
  throw invalid(
    `Value for 'text' not supported: it is longer than ${MAX_CAPTION_CHARACTERS} characters.`,
  );
}
