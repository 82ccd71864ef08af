/** Sample rooms, links and captions for tests. */
import { randomBytes, randomInt } from 'node:crypto';
import type { Caption } from '../../server/events/caption-log.ts';
import type { Room, RoomLink, RoomWishes } from '../../server/events/store.ts';

const ID_CHARACTERS = '23456789abcdefghjkmnpqrstuvwxyz';
const newRoomId = (): string =>
  Array.from({ length: 10 }, () => ID_CHARACTERS[randomInt(ID_CHARACTERS.length)]).join('');

export const sampleWishes: RoomWishes = {
  languages: ['es', 'fr'],
  always: ['es'],
  sourceLanguage: 'en',
  access: 'passcode',
  passcode: '4829-É',
  glossaryId: null,
  formality: null,
  replacements: [{ from: `'; drop table rooms; --`, to: '"😀", \\' }],
  hiddenWords: ['secret'],
};

export function sampleRoom(
  owner: { accountId: string; keyId: string },
  given: Partial<Room> = {},
): Room {
  return {
    roomId: newRoomId(),
    accountId: owner.accountId,
    keyId: owner.keyId,
    name: 'Große Bühne',
    wishes: sampleWishes,
    keepMs: 3_600_000,
    isPaused: false,
    linkSecret: randomBytes(32).toString('hex'),
    createdAtMs: 1_700_000_000_000,
    ...given,
  };
}

export const sampleLink = (given: Partial<RoomLink> = {}): RoomLink => ({
  linkId: newRoomId(),
  role: 'viewer',
  label: 'Presse',
  expiresAtMs: null,
  createdAtMs: 1_700_000_000_000,
  ...given,
});

export const sampleCaption = (sequence: number, given: Partial<Caption> = {}): Caption => ({
  sequence,
  line: sequence,
  renders: null,
  language: 'en',
  text: `Line ${sequence}.`,
  startMs: sequence,
  endMs: sequence + 1000,
  author: 'machine',
  ...given,
});
