/** What is done with rooms, whoever asks: an account, a speaker, a captioner, a reader. */
import { ServiceError } from '../../shared/errors.ts';
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
import { countCodePoints } from '../text/code-points.ts';
import type { CaptionLog } from './caption-log.ts';
import type { LiveRooms } from './live-rooms.ts';
import type { ReaderDesk } from './reading/readers.ts';
import type { AdmittedReader, ReaderWish } from './reading/sockets.ts';
import { roomUrl, type Rooms } from './rooms.ts';
import { spokenFormats, type SpokenFormat, type SpokenLines } from './spoken-lines.ts';
import type { Room, RoomLink } from './store.ts';
import { writeTranscript, type TranscriptFile } from './transcripts.ts';

/** Typed captions last so long, in ms: there is no voice whose time they would have. */
const TYPED_MS = 2_000;

export interface EventsOptions {
  rooms: Rooms;
  live: LiveRooms;
  captions: CaptionLog;
  readers: ReaderDesk;
  spokenLines: SpokenLines;
  /** A key of an account that pays, the given one if it is active. @throws ServiceError forbidden */
  payingKey: (accountId: string, keyId: string | undefined) => Promise<string>;
  now?: () => number;
}

/** Methods throw ServiceError, as those of {@link Rooms}. */
export type Events = ReturnType<typeof createEvents>;

export function createEvents(options: EventsOptions) {
  const { rooms, live, captions, readers, spokenLines, now = Date.now } = options;

  function describeLink(room: Room, link: RoomLink, base: string): DescribedLink {
    return {
      link_id: link.linkId,
      role: link.role,
      label: link.label,
      url: roomUrl(base, room, { role: link.role, link }),
      ...(link.expiresAtMs !== null && { expiry_time: new Date(link.expiresAtMs).toISOString() }),
      creation_time: new Date(link.createdAtMs).toISOString(),
    };
  }

  /** The links to hand out: the first of each role that is good for ever. */
  async function urlsOf(room: Room, base: string) {
    const lasting = (await rooms.links(room)).filter(({ expiresAtMs }) => expiresAtMs === null);
    const linkOf = (role: RoomRole) => lasting.find((link) => link.role === role);
    const isOpen = room.wishes.access !== 'link';
    const viewer = linkOf('viewer');
    const readable = isOpen || viewer !== undefined;
    const wish = { role: 'viewer', ...(!isOpen && viewer && { link: viewer }) } as const;
    const urlFor = (role: 'speaker' | 'captioner') => {
      const link = linkOf(role);
      return link && roomUrl(base, room, { role, link });
    };
    const [speaker, captioner] = [urlFor('speaker'), urlFor('captioner')];
    // A projector asks nobody for a passcode.
    const overlay =
      room.wishes.access === 'everyone' || viewer === undefined ? wish : { ...wish, link: viewer };
    return {
      ...(readable && {
        viewer_url: roomUrl(base, room, wish),
        overlay_url: roomUrl(base, room, { ...overlay, isOverlay: true }),
      }),
      ...(speaker !== undefined && { speaker_url: speaker }),
      ...(captioner !== undefined && { captioner_url: captioner }),
    };
  }

  async function describe(room: Room, base: string): Promise<RoomInfo> {
    const { wishes } = room;
    const running = live.find(room.roomId);
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
      state: running?.state ?? (room.isPaused ? 'paused' : 'waiting'),
      ...(running?.sessionId !== undefined && { session_id: running.sessionId }),
      viewers: running?.readers ?? {},
      ...(await urlsOf(room, base)),
      creation_time: new Date(room.createdAtMs).toISOString(),
    };
  }

  /** A line that was typed, or is put in the place of another. */
  async function type(room: Room, typed: TypedCaption): Promise<{ line: number }> {
    const { language = SPOKEN, line } = typed;
    const text = checkedText(typed.text);
    const running = await live.open(room);
    if (!running.offers(language)) throw noLanguage(room);
    if (text === '' && line === undefined)
      throw invalid("Value for 'text' not supported: it is empty.");
    const before = line === undefined ? undefined : await lineOf(room, { language, line });
    const said = {
      text,
      startMs: before?.startMs ?? now(),
      endMs: before?.endMs ?? now() + TYPED_MS,
      ...(line !== undefined && { line }),
    };
    const caption =
      language === SPOKEN
        ? await running.say({
            ...said,
            language: before?.language ?? room.wishes.sourceLanguage ?? 'en',
            author: 'person',
          })
        : await running.write(language, said);
    return { line: caption.line };
  }

  /** @throws ServiceError not_found */
  async function lineOf(room: Room, { language, line }: { language: string; line: number }) {
    const all = await captions.transcript({ roomId: room.roomId, name: language });
    const found = all.findLast((caption) => caption.line === line);
    if (found !== undefined) return found;
    // A translation that is not there yet may be typed before the machine has it.
    const spoken = await captions.transcript({ roomId: room.roomId, name: SPOKEN });
    const said = spoken.findLast((caption) => caption.line === line);
    if (said !== undefined) return said;
    throw new ServiceError('not_found', 'The room has no such line.');
  }

  return {
    rooms,
    describe,
    describeLink,
    type,

    async create(
      { accountId, keyId }: { accountId: string; keyId: string | undefined },
      creation: RoomCreation,
    ): Promise<Room> {
      const payer = await options.payingKey(accountId, keyId);
      return rooms.create({ accountId, keyId: payer }, creation, (room) => live.check(room));
    },

    async change(accountId: string, roomId: string, change: RoomChange): Promise<Room> {
      const room = await rooms.change(accountId, roomId, change, (changed) => live.check(changed));
      await live.changed(room);
      if (change.access !== undefined || change.passcode !== undefined) {
        const reason = new ServiceError(
          'forbidden',
          'Who may read here has changed: come in again.',
        );
        live.find(roomId)?.endReaders(reason);
      }
      // What is not to be kept any more is gone at once.
      if (room.keepMs === 0 && change.keep_hours !== undefined) await captions.erase(roomId);
      return room;
    },

    async delete(accountId: string, roomId: string): Promise<void> {
      await rooms.delete(accountId, roomId);
      live.end(roomId, new ServiceError('not_found', 'The room has been deleted.'));
    },

    async revoke(room: Room, linkId: string): Promise<void> {
      await rooms.revoke(room, linkId);
      live
        .find(room.roomId)
        ?.endReaders(
          new ServiceError('forbidden', 'The link was revoked.'),
          (reader) => reader.linkId === linkId,
        );
    },

    async transcript(
      room: Room,
      { language = SPOKEN, format = 'json' }: { language?: string; format?: string },
      signal: AbortSignal,
    ): Promise<TranscriptFile & { fileName: string }> {
      const known = transcriptFormats.find((each) => each === format);
      if (known === undefined) {
        throw invalid(
          `Value for 'format' not supported. Possible: ${transcriptFormats.join(', ')}.`,
        );
      }
      const running = await live.open(room);
      if (!running.offers(language)) throw noLanguage(room);
      const lines = await running.transcript(language, signal);
      const file = await writeTranscript(lines, { format: known, title: room.name });
      return { ...file, fileName: `transcript-${room.roomId}-${language}.${known}` };
    },

    async forget(room: Room): Promise<void> {
      await (await live.open(room)).forget();
    },

    /** Lets a reader in. @throws ServiceError forbidden, too_many_sessions, too_many_requests */
    async admit({ roomId, key, language = SPOKEN, address }: ReaderWish): Promise<AdmittedReader> {
      readers.checkJoin(address);
      const room = await rooms.find(roomId);
      const { linkId } = await rooms.roleOf(room, key);
      const running = await live.open(room);
      if (!running.offers(language)) throw noLanguage(room);
      return { live: running, language, linkId, release: readers.admit(running, address) };
    },

    /** A reader's key for a passcode. @throws ServiceError forbidden, too_many_requests */
    async enter(roomId: string, passcode: string, address: string) {
      readers.checkTries(roomId, address);
      const room = await rooms.find(roomId);
      try {
        const { key, expiresAtMs } = rooms.enter(room, passcode);
        return { key, expiry_time: new Date(expiresAtMs).toISOString() };
      } catch (error) {
        readers.noteTry(roomId, address);
        throw error;
      }
    },

    /** A line as audio. @throws ServiceError not_found, invalid_request, synthesis_failed */
    async speech(
      room: Room,
      { language, line, format = 'webm' }: { language: string; line: number; format?: string },
    ): Promise<{ contentType: string; clip: Buffer }> {
      if (!(format in spokenFormats)) {
        throw invalid(
          `Value for 'format' not supported. Possible: ${Object.keys(spokenFormats).join(', ')}.`,
        );
      }
      const known = format as SpokenFormat;
      const { captions: recent } = await captions.read({ roomId: room.roomId, name: language }, 0);
      const caption = recent.findLast((each) => each.line === line);
      if (caption === undefined || caption.text === '') {
        throw new ServiceError('not_found', 'The room has no such line, or it was said long ago.');
      }
      const clip = await spokenLines.speak(room.roomId, caption, known);
      return { contentType: spokenFormats[known], clip };
    },
  };
}

/** Control characters, halves of characters. */
const FORBIDDEN = /[\p{Cc}\u2028\u2029\p{Surrogate}]/u;

function checkedText(given: string): string {
  const text = given.replace(/\s+/g, ' ').trim();
  if (FORBIDDEN.test(text)) {
    throw invalid("Value for 'text' not supported: it contains a control character.");
  }
  if (countCodePoints(text) <= MAX_CAPTION_CHARACTERS) return text;
  throw invalid(
    `Value for 'text' not supported: it is longer than ${MAX_CAPTION_CHARACTERS} characters.`,
  );
}

function noLanguage({ wishes }: Room): ServiceError {
  const possible = [SPOKEN, ...wishes.languages].join(', ');
  return invalid(`Value for 'language' not supported. Possible: ${possible}.`);
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
