import { expect, it } from 'vitest';
import { keyForPasscode, keyOfLink, passOf } from '../../server/events/room-keys.ts';
import { sampleLink, sampleRoom, sampleWishes } from './room-samples.ts';

const NOW_MS = 1_700_000_000_000;
const room = sampleRoom({ accountId: 'a', keyId: 'k' });
const link = sampleLink({ role: 'captioner' });
const rights = (key: string, links = [link], at = NOW_MS, of = room) =>
  passOf(of, links, { key, nowMs: at });

it("grants the role of a link's key as long as the link exists", () => {
  const key = keyOfLink(room, link);
  expect(rights(key)).toEqual({ role: 'captioner', linkId: link.linkId, expiresAtMs: 0 });
  expect(rights(key, [])).toBeUndefined();
  expect(rights(key, [sampleLink({ linkId: link.linkId, role: 'viewer' })])).toBeUndefined();
});

it('grants the role only until the link expires', () => {
  const expiring = sampleLink({ expiresAtMs: NOW_MS + 1000 });
  const key = keyOfLink(room, expiring);
  expect(rights(key, [expiring])).toEqual({
    role: 'viewer',
    linkId: expiring.linkId,
    expiresAtMs: NOW_MS + 1000,
  });
  expect(rights(key, [expiring], NOW_MS + 1000)).toBeUndefined();
});

it('rejects a key that was altered, truncated or invented', () => {
  const key = keyOfLink(room, link);
  for (let at = 0; at < key.length; at += 1) {
    const letter = key.charAt(at) === 'x' ? 'y' : 'x';
    expect(rights(key.slice(0, at) + letter + key.slice(at + 1)), `at ${at}`).toBeUndefined();
    expect(rights(key.slice(0, at))).toBeUndefined();
  }
  expect(rights(key.replace('captioner', 'speaker'))).toBeUndefined();
  for (const odd of ['', '.', `${key}A`, ` ${key}`, key.toUpperCase(), 'a'.repeat(10_000), '🐉']) {
    expect(rights(odd)).toBeUndefined();
  }
});

it('rejects a key of another room', () => {
  const other = sampleRoom({ accountId: 'a', keyId: 'k' }, { roomId: room.roomId });
  expect(rights(keyOfLink(other, link))).toBeUndefined();
  const namesake = sampleRoom({ accountId: 'a', keyId: 'k' }, { linkSecret: room.linkSecret });
  expect(rights(keyOfLink(namesake, link))).toBeUndefined();
});

it('admits readers with a passcode key until the passcode is changed', () => {
  const key = keyForPasscode(room, NOW_MS + 1000);
  expect(rights(key)?.role).toBe('viewer');
  expect(rights(key, [link], NOW_MS + 1000)).toBeUndefined();
  const changed = { ...room, wishes: { ...sampleWishes, passcode: '0000' } };
  expect(rights(key, [link], NOW_MS, changed)).toBeUndefined();
  const open = { ...room, wishes: { ...sampleWishes, access: 'link' as const, passcode: null } };
  expect(rights(key, [link], NOW_MS, open)).toBeUndefined();
  expect(key).not.toContain('4829');
});
