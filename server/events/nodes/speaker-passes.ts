/** By what links sessions were requested that speak into rooms: they may be heard at another node. */
import type { Broker } from '../../broker/index.ts';
import type { RoomPass } from '../room-keys.ts';

/** Longer than any session. */
const TTL_MS = 12 * 3_600_000;

export interface SpeakerPasses {
  note(sessionId: string, pass: RoomPass): Promise<void>;
  /** Undefined for a session that no link was needed for. @throws ServiceError broker_unavailable */
  find(sessionId: string): Promise<RoomPass | undefined>;
}

export function createSpeakerPasses({ records }: Pick<Broker, 'records'>): SpeakerPasses {
  const nameOf = (sessionId: string) => `room pass ${sessionId}`;
  return {
    async note(sessionId, pass) {
      await records.write(nameOf(sessionId), JSON.stringify(pass), { ttlMs: TTL_MS });
    },
    async find(sessionId) {
      const kept = await records.read(nameOf(sessionId));
      return kept && (JSON.parse(kept.value.toString()) as RoomPass);
    },
  };
}
