/** Conversations with a gateway that loses connections, and helpers for their events. */
import { afterEach } from 'vitest';
import {
  connectVoice,
  type VoiceEvent,
  type VoiceSession,
  type VoiceSessionOptions,
} from '../../shared/client/node.ts';
import {
  startResumingGateway,
  type ResumingGateway,
} from '../support/services/resuming-gateway.ts';

const gateways: ResumingGateway[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

/** 8 bytes per ms. */
export const TELEPHONE = 'audio/pcm;encoding=ulaw;rate=8000';

export async function start(random: () => number = () => 1): Promise<ResumingGateway> {
  const gateway = await startResumingGateway(random);
  gateways.push(gateway);
  return gateway;
}

export function connect(gateway: ResumingGateway, options: Partial<VoiceSessionOptions> = {}) {
  const { server, apiKey } = gateway;
  return connectVoice({ server, apiKey, contentType: TELEPHONE, ...options });
}

export function noise(sizeBytes: number): Uint8Array {
  return Uint8Array.from({ length: sizeBytes }, (_, at) => (at * 31 + (at >> 8)) % 251);
}

export async function collect(session: VoiceSession): Promise<VoiceEvent[]> {
  const events: VoiceEvent[] = [];
  for await (const event of session) events.push(event);
  return events;
}

export function becomes(session: VoiceSession, wanted: VoiceSession['status']): Promise<void> {
  return new Promise((resolve) => {
    session.on('status', ({ status }) => {
      if (status === wanted) resolve();
    });
  });
}

export function concluded(events: readonly VoiceEvent[], kind: 'source' | 'target'): string {
  return events
    .filter((event) => event.type === 'caption')
    .filter((event) => event.kind === kind)
    .flatMap((event) => event.concluded)
    .map(({ text }) => text)
    .join('');
}

export const words = (count: number, prefix = ''): string =>
  Array.from({ length: count }, (_, index) => ` ${prefix}${index}`).join('');

/** A reproducible random number generator (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
