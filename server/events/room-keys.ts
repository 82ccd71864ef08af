/**
 * Keys that admit clients to a room. They are part of signed links, or are issued for a passcode. Each room
 * signs with its own secret, so a link can be shown again without its key being stored.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type RoomRole, roomRoles } from '../../shared/schemas/rooms.ts';
import type { Broker } from '../broker/index.ts';
import type { Room, RoomLink } from './store.ts';

/** What the bearer of a key may do in a room, what admitted the bearer, and until when. */
export interface RoomPass {
  role: RoomRole;
  /** Id of the link; for a passcode, its mark ({@link passcodeMark}); undefined if no key is needed. */
  linkId: string | undefined;
  /** ms since the epoch, whole seconds; 0: as long as the link or passcode is valid. */
  expiresAtMs: number;
}

/** The pass of a client without a key, in a room that needs none. */
export const anybody: RoomPass = { role: 'viewer', linkId: undefined, expiresAtMs: 0 };

type KeyClaims = RoomPass & { linkId: string };

/** A signature truncated to 128 bits is as safe as the whole, and half as long in a phone's address bar. */
const SIGNATURE_BYTES = 16;

export function keyOfLink(room: Room, link: RoomLink): string {
  return signed(room, {
    role: link.role,
    linkId: link.linkId,
    expiresAtMs: link.expiresAtMs ?? 0,
  });
}

/** Returns a reader's key for a correct passcode. Changing the passcode invalidates the key. */
export function keyForPasscode(room: Room, expiresAtMs: number): string {
  return signed(room, { role: 'viewer', linkId: passcodeMark(room), expiresAtMs });
}

/**
 * Returns the pass that a key grants; undefined if the key is malformed, expired, revoked or for another
 * room.
 */
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

/** Returns an identifier that differs for each passcode of a room without revealing the passcode. */
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

/** Lifetime of a stored pass, in ms: longer than any session. */
const SPEAKER_PASS_TTL_MS = 12 * 3_600_000;

/** Passes by which speaking sessions were requested, in the broker: another node may hear the session. */
export interface SpeakerPasses {
  note(sessionId: string, pass: RoomPass): Promise<void>;
  /** Returns undefined for a session that needed no link. @throws ServiceError broker_unavailable */
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
