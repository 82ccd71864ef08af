/**
 * What opens the door of a room: keys that are part of signed links, or are given for a passcode. They are
 * signed with the room's own secret, so a link can be shown again without being kept.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type RoomRole, roomRoles } from '../../shared/schemas/rooms.ts';
import type { Broker } from '../broker/index.ts';
import type { Room, RoomLink } from './store.ts';

/** What somebody may do in a room, by what, until when. */
export interface RoomPass {
  role: RoomRole;
  /** Of the link they have come by; of a passcode, what it was; undefined where no key is needed. */
  linkId: string | undefined;
  /** ms since the epoch, whole seconds; 0: as long as that is good. */
  expiresAtMs: number;
}

/** Of whoever comes without a key where none is needed. */
export const anybody: RoomPass = { role: 'viewer', linkId: undefined, expiresAtMs: 0 };

/** What a key says. */
type KeyClaims = RoomPass & { linkId: string };

/** 128 bits of a signature are as good as all of them, and half as long on a phone. */
const SIGNATURE_BYTES = 16;

/** The key of a link. */
export function keyOfLink(room: Room, link: RoomLink): string {
  return signed(room, {
    role: link.role,
    linkId: link.linkId,
    expiresAtMs: link.expiresAtMs ?? 0,
  });
}

/** A reader's key for somebody who knew the passcode: one that is changed ends it. */
export function keyForPasscode(room: Room, expiresAtMs: number): string {
  return signed(room, { role: 'viewer', linkId: passcodeMark(room), expiresAtMs });
}

/** What a key lets its bearer do; undefined for one that is no key of this room, or not any more. */
export function passOf(
  room: Room,
  links: readonly RoomLink[],
  { key, nowMs }: { key: string; nowMs: number },
): RoomPass | undefined {
  const claims = claimsOf(key);
  if (claims === undefined || !isEqual(signed(room, claims), key)) return undefined;
  const { role, linkId } = claims;
  if (hasExpired(claims, nowMs)) return undefined;
  const isGood =
    (room.wishes.access === 'passcode' && linkId === passcodeMark(room)) ||
    links.some((link) => link.linkId === linkId && link.role === role);
  return isGood ? claims : undefined;
}

export function hasExpired({ expiresAtMs }: RoomPass, nowMs: number): boolean {
  return expiresAtMs !== 0 && expiresAtMs <= nowMs;
}

function signed(room: Room, { role, linkId, expiresAtMs }: KeyClaims): string {
  const claims = `${role}.${linkId}.${Math.floor(expiresAtMs / 1000).toString(36)}`;
  const signature = createHmac('sha256', Buffer.from(room.linkSecret, 'hex'))
    .update(`${room.roomId}.${claims}`)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
  return `${claims}.${signature.toString('base64url')}`;
}

function claimsOf(key: string): KeyClaims | undefined {
  const match = /^([a-z]+)\.([\w-]{1,64})\.([0-9a-z]{1,10})\.[\w-]{22}$/.exec(key);
  const role = roomRoles.find((each) => each === match?.[1]);
  const [, , linkId = '', seconds = ''] = match ?? [];
  if (role === undefined) return undefined;
  return { role, linkId, expiresAtMs: Number.parseInt(seconds, 36) * 1000 };
}

/** Tells one passcode of a room from the next, and does not give it away. */
export function passcodeMark(room: Room): string {
  return createHmac('sha256', Buffer.from(room.linkSecret, 'hex'))
    .update(`passcode ${room.wishes.passcode ?? ''}`)
    .digest('base64url')
    .slice(0, 12);
}

/** Compares secrets in constant time. */
export function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Longer than any session. */
const SPEAKER_PASS_TTL_MS = 12 * 3_600_000;

/** By what links sessions were requested that speak into rooms: they may be heard at another node. */
export interface SpeakerPasses {
  note(sessionId: string, pass: RoomPass): Promise<void>;
  /** Undefined for a session that no link was needed for. @throws ServiceError broker_unavailable */
  find(sessionId: string): Promise<RoomPass | undefined>;
}

export function createSpeakerPasses({ records }: Pick<Broker, 'records'>): SpeakerPasses {
  const nameOf = (sessionId: string) => `room pass ${sessionId}`;
  return {
    async note(sessionId, pass) {
      await records.write(nameOf(sessionId), JSON.stringify(pass), { ttlMs: SPEAKER_PASS_TTL_MS });
    },
    async find(sessionId) {
      const kept = await records.read(nameOf(sessionId));
      return kept && (JSON.parse(kept.value.toString()) as RoomPass);
    },
  };
}
