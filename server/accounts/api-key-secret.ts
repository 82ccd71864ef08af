/** Secrets of API keys: how they are made, kept and shown. */
import { hash, randomUUID } from 'node:crypto';
import type { KeyKind, Plan } from '../http/door.ts';

/** Clients choose the address of the free plan by this ending. */
const FREE_ENDING = ':fx';
const ADMIN_ENDING = ':adm';

/** A new secret: a GUID, with `:fx` on the free plan and `:adm` for administration. */
export function newSecret({ kind, plan }: { kind: KeyKind; plan: Plan }): string {
  if (kind === 'admin') return randomUUID() + ADMIN_ENDING;
  return plan === 'free' ? randomUUID() + FREE_ENDING : randomUUID();
}

/** What is kept of a secret: its SHA-256 as 64 hex digits. A GUID is too long to be guessed from it. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** A secret as it may be shown: `dc88****3a2c`; the ending that tells the plan is left out. */
export function maskOfSecret(secret: string): string {
  const [identifier = ''] = secret.split(':', 1);
  // A secret that someone chose may be so short that this would be most of it.
  return identifier.length < 16 ? '****' : `${identifier.slice(0, 4)}****${identifier.slice(-4)}`;
}
