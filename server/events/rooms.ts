/** Rooms of events: created and changed by their accounts, entered by clients with a key. */
import { randomBytes, randomInt } from 'node:crypto';
import { ServiceError, invalid } from '../../shared/errors.ts';
import { canonicalLanguage } from '../../shared/language.ts';
import {
  MAX_KEEP_HOURS,
  MAX_ROOM_LANGUAGES,
  MAX_ROOM_WORD_CHARACTERS,
  MAX_ROOM_WORDS,
  roomAccess,
  roomRoles,
  type RoomAccess,
  type RoomChange,
  type RoomCreation,
  type RoomLinkCreation,
  type RoomRole,
} from '../../shared/schemas/rooms.ts';
import { checkedGlossaryName } from '../glossaries/glossaries.ts';
import { countCodePoints, FORBIDDEN_CHARACTER } from '../text/code-points.ts';
import { anybody, isEqual, keyForPasscode, keyOfLink, passOf, type RoomPass } from './room-keys.ts';
import type { Room, RoomLink, RoomStore, RoomWishes } from './store.ts';

/** Maximum number of rooms per account, and of links per room. */
const MAX_ROOMS = 1_000;
const MAX_LINKS = 100;
const HOUR_MS = 3_600_000;
/** Lifetime of the key that a correct passcode yields, in ms. */
const PASSCODE_KEY_MS = 24 * HOUR_MS;
/** Excludes letters and digits that are easily confused. */
const ID_CHARACTERS = '23456789abcdefghjkmnpqrstuvwxyz';
const ID_LENGTH = 10;
const ROOM_ID = /^[2-9a-hj-km-np-z]{10}$/;

export interface RoomsOptions {
  store: RoomStore;
  /** Languages that can be translated into from a recognisable language. */
  offeredLanguages: () => string[];
  spokenLanguages: () => string[];
}

/**
 * Every method throws ServiceError invalid_request for malformed input and not_found for a missing room or
 * link.
 */
export class Rooms {
  readonly #options: RoomsOptions;

  constructor(options: RoomsOptions) {
    this.#options = options;
  }

  /** Returns the room with that id, whichever account owns it. */
  async find(roomId: string): Promise<Room> {
    const room = ROOM_ID.test(roomId) ? await this.#options.store.find(roomId) : undefined;
    if (room === undefined) throw unknown();
    return room;
  }

  async get(accountId: string, roomId: string): Promise<Room> {
    const room = await this.find(roomId);
    if (room.accountId !== accountId) throw unknown();
    return room;
  }

  list(accountId: string): Promise<Room[]> {
    return this.#options.store.list(accountId);
  }

  /** @param check validates the room before it is stored */
  async create(
    owner: Pick<Room, 'accountId' | 'keyId'>,
    creation: RoomCreation,
    check: (room: Room) => Promise<void>,
  ): Promise<Room> {
    const nowMs = Date.now();
    const room: Room = {
      roomId: newId(),
      ...owner,
      name: checkedGlossaryName(creation.name),
      wishes: checkedWishes(creation, nothing, this.#options),
      keepMs: checkedKeep(creation.keep_hours ?? 0),
      isPaused: false,
      linkSecret: randomBytes(32).toString('hex'),
      createdAtMs: nowMs,
    };
    await check(room);
    const links = roomRoles.map((role) => newLink({ role, label: '', expiresAtMs: null }, nowMs));
    if (await this.#options.store.create(room, links, MAX_ROOMS)) return room;
    throw invalid(`An account has at most ${MAX_ROOMS} rooms: delete one first.`);
  }

  async change(
    accountId: string,
    roomId: string,
    change: RoomChange,
    check: (room: Room) => Promise<void>,
  ): Promise<Room> {
    const before = await this.get(accountId, roomId);
    const patch = {
      ...(change.name !== undefined && { name: checkedGlossaryName(change.name) }),
      ...(change.keep_hours !== undefined && { keepMs: checkedKeep(change.keep_hours) }),
      ...(change.paused !== undefined && { isPaused: change.paused }),
      // Wishes are written only when the change touches them: other requests may be changing them
      // concurrently.
      ...(WISHES.some((name) => change[name] !== undefined) && {
        wishes: checkedWishes(change, before.wishes, this.#options),
      }),
    };
    await check({ ...before, ...patch });
    const room = await this.#options.store.change(accountId, roomId, patch);
    if (room === undefined) throw unknown();
    return room;
  }

  /** Makes another key of the same account pay for a room. */
  async renewKey({ accountId, roomId }: Room, keyId: string): Promise<void> {
    await this.#options.store.change(accountId, roomId, { keyId });
  }

  async delete(accountId: string, roomId: string): Promise<void> {
    const isDeleted = ROOM_ID.test(roomId) && (await this.#options.store.delete(accountId, roomId));
    if (!isDeleted) throw unknown();
  }

  async addLink(room: Room, creation: RoomLinkCreation): Promise<RoomLink> {
    const nowMs = Date.now();
    const link = newLink(checkedLink(creation, nowMs), nowMs);
    if (await this.#options.store.addLink(room.roomId, link, MAX_LINKS)) return link;
    throw invalid(`A room has at most ${MAX_LINKS} links: revoke one first.`);
  }

  links(room: Room): Promise<RoomLink[]> {
    return this.#options.store.links(room.roomId);
  }

  /** Returns the links of every room of an account, by room. */
  allLinks(accountId: string): Promise<Map<string, RoomLink[]>> {
    return this.#options.store.allLinks(accountId);
  }

  async revoke(room: Room, linkId: string): Promise<void> {
    if (await this.#options.store.removeLink(room.roomId, linkId)) return;
    throw new ServiceError('not_found', 'The room has no link with this link_id.');
  }

  /**
   * Returns what a client may do in a room.
   *
   * @param key the key of a link or passcode; undefined if the client has none
   * @throws ServiceError forbidden
   */
  async passOf(room: Room, key: string | undefined): Promise<RoomPass> {
    const { access } = room.wishes;
    if (key === undefined) {
      if (access === 'everyone') return anybody;
      throw new ServiceError('forbidden', NEEDED[access]);
    }
    const found = passOf(room, await this.links(room), { key, nowMs: Date.now() });
    if (found === undefined) throw new ServiceError('forbidden', REFUSED);
    return found;
  }

  /**
   * Exchanges a passcode for a reader's key; returns undefined for a wrong passcode.
   *
   * @throws ServiceError invalid_request if the room has no passcode
   */
  enter(room: Room, passcode: string): { key: string; expiresAtMs: number } | undefined {
    const { access, passcode: right } = room.wishes;
    if (access !== 'passcode' || right === null) throw invalid('This room has no passcode.');
    if (!isEqual(comparable(passcode), comparable(right))) return undefined;
    const expiresAtMs = Date.now() + PASSCODE_KEY_MS;
    return { key: keyForPasscode(room, expiresAtMs), expiresAtMs };
  }
}

const REFUSED = 'The link has expired, or was revoked. Ask for a new one.';
const NEEDED: Record<RoomAccess, string> = {
  everyone: REFUSED,
  passcode: 'The room asks for its passcode first: POST it to /v1/rooms/{room_id}/live/entry.',
  link: 'The room is open only to those who have a link with a key.',
};

/**
 * Returns the address of a room's page. The key is in the fragment, which browsers do not send to servers.
 */
export function roomUrl(
  base: string,
  room: Room,
  { role, link, isOverlay = false }: { role: RoomRole; link?: RoomLink; isOverlay?: boolean },
): string {
  const page = isOverlay ? '/overlay' : role === 'viewer' ? '' : `/${role}`;
  const key = link === undefined ? '' : `#key=${keyOfLink(room, link)}`;
  return `${base}/events/${room.roomId}${page}${key}`;
}

const nothing: RoomWishes = {
  languages: [],
  always: [],
  sourceLanguage: null,
  access: 'everyone',
  passcode: null,
  glossaryId: null,
  formality: null,
  replacements: [],
  hiddenWords: [],
};

const WISHES = [
  'languages',
  'always',
  'source_language',
  'access',
  'passcode',
  'glossary_id',
  'formality',
  'replacements',
  'hidden_words',
] as const;

type Checks = Pick<RoomsOptions, 'offeredLanguages' | 'spokenLanguages'>;

function checkedWishes(
  given: RoomCreation | RoomChange,
  before: RoomWishes,
  { offeredLanguages, spokenLanguages }: Checks,
): RoomWishes {
  const languages =
    given.languages === undefined
      ? before.languages
      : checkedLanguages('languages', given.languages, offeredLanguages());
  const always =
    given.always === undefined
      ? before.always.filter((language) => languages.includes(language))
      : checkedLanguages('always', given.always, languages);
  const access =
    given.access === undefined ? before.access : oneOf('access', given.access, roomAccess);
  if (access !== 'passcode' && given.passcode !== undefined && given.passcode.trim() !== '') {
    throw invalid("Value for 'passcode' not supported: set 'access' to passcode as well.");
  }
  const { source_language: source } = given;
  const sourceLanguage =
    source === undefined
      ? before.sourceLanguage
      : source === null
        ? null
        : (checkedLanguages('source_language', [source], spokenLanguages())[0] ?? null);
  return {
    languages,
    always,
    sourceLanguage,
    access,
    passcode:
      access === 'passcode' ? checkedPasscode(given.passcode ?? before.passcode ?? madeUp()) : null,
    glossaryId: given.glossary_id === undefined ? before.glossaryId : given.glossary_id,
    formality: given.formality === undefined ? before.formality : given.formality,
    replacements:
      given.replacements === undefined
        ? before.replacements
        : checkedWords('replacements', given.replacements, ({ from, to }) => ({
            from: checkedWord('replacements', from),
            to: checkedReplacement(to),
          })),
    hiddenWords:
      given.hidden_words === undefined
        ? before.hiddenWords
        : checkedWords('hidden_words', given.hidden_words, (word) =>
            checkedWord('hidden_words', word),
          ),
  };
}

function checkedLanguages(
  name: string,
  given: readonly string[],
  possible: readonly string[],
): string[] {
  if (given.length > MAX_ROOM_LANGUAGES) {
    throw invalid(`Value for '${name}' not supported: at most ${MAX_ROOM_LANGUAGES} languages.`);
  }
  const languages = given.map((language) => {
    const tag = canonicalLanguage(language);
    if (tag !== undefined && possible.includes(tag)) return tag;
    throw invalid(
      `Value for '${name}' not supported. Possible: ${possible.length === 0 ? 'none' : [...possible].sort().join(', ')}.`,
    );
  });
  return [...new Set(languages)];
}

function checkedKeep(hours: number): number {
  if (hours >= 0 && hours <= MAX_KEEP_HOURS) return Math.round(hours * HOUR_MS);
  throw invalid(`Value for 'keep_hours' not supported: 0 to ${MAX_KEEP_HOURS}.`);
}

/**
 * Returns the value of a decimal digit of any script. Unicode places a script's zero at the start of a row of
 * sixteen, or at offset six.
 */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const place = code % 16;
  const isFromRow = /\p{Nd}/u.test(String.fromCodePoint(code - place));
  return String(isFromRow ? place : place - 6);
}

/**
 * Normalises a passcode for comparison: digits of any script become ASCII, blanks go, letters become lower
 * case.
 */
function comparable(passcode: string): string {
  return passcode
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, digitOf)
    .replace(/\s+/gu, '')
    .toLowerCase();
}

function checkedPasscode(given: string): string {
  const passcode = given.trim();
  if (/^[\p{L}\p{N}-]{4,64}$/u.test(passcode)) return passcode;
  throw invalid("Value for 'passcode' not supported: 4 to 64 letters, figures and hyphens.");
}

function checkedWords<Given, Word>(
  name: string,
  given: readonly Given[],
  check: (word: Given) => Word,
): Word[] {
  if (given.length <= MAX_ROOM_WORDS) return given.map(check);
  throw invalid(`Value for '${name}' not supported: at most ${MAX_ROOM_WORDS} words.`);
}

function checkedWord(name: string, given: string): string {
  const word = checkedReplacement(given, name);
  if (word !== '') return word;
  throw invalid(`Value for '${name}' not supported: a word is empty.`);
}

function checkedReplacement(given: string, name = 'replacements'): string {
  const word = given.normalize('NFC').trim();
  if (countCodePoints(word) <= MAX_ROOM_WORD_CHARACTERS && !FORBIDDEN_CHARACTER.test(word))
    return word;
  throw invalid(
    `Value for '${name}' not supported: a word has at most ${MAX_ROOM_WORD_CHARACTERS} characters, none of them a control character.`,
  );
}

function checkedLink(
  { role, label = '', expires_in_hours: hours }: RoomLinkCreation,
  nowMs: number,
) {
  if (hours !== undefined && !(hours > 0 && hours <= MAX_KEEP_HOURS)) {
    throw invalid(
      `Value for 'expires_in_hours' not supported: above 0, at most ${MAX_KEEP_HOURS}.`,
    );
  }
  return {
    role: oneOf('role', role, roomRoles),
    label: label.trim() === '' ? '' : checkedGlossaryName(label, 'label'),
    // Keys store whole seconds.
    expiresAtMs: hours === undefined ? null : Math.ceil((nowMs + hours * HOUR_MS) / 1000) * 1000,
  };
}

function newLink(
  link: Pick<RoomLink, 'role' | 'label' | 'expiresAtMs'>,
  createdAtMs: number,
): RoomLink {
  return { linkId: newId(), createdAtMs, ...link };
}

function newId(): string {
  const characters = Array.from(
    { length: ID_LENGTH },
    () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)],
  );
  return characters.join('');
}

function madeUp(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

/** @throws ServiceError invalid_request listing the possible values */
export function oneOf<T extends string>(name: string, value: string, possible: readonly T[]): T {
  const found = possible.find((each) => each === value);
  if (found !== undefined) return found;
  throw invalid(`Value for '${name}' not supported. Possible: ${possible.join(', ')}.`);
}

function unknown(): ServiceError {
  return new ServiceError('not_found', 'There is no room with this room_id.');
}
