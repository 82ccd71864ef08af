/** How many sessions one machine accepts. */
import { describe, expect, it } from 'vitest';
import { createAdmission, type HeardSession } from '../../../server/voice/session/admission.ts';
import { startHosted } from '../../support/product/hosted-server.ts';
import { PCM_16K } from '../../support/product/voice-client.ts';

/** A recogniser on this machine with an adjustable record of its effort. */
function recogniser({ name = 'own', expectedShare = 0.25 } = {}) {
  const done = { audioMs: 0, processorMs: 0 };
  return {
    name,
    effort: () => ({ ...done, expectedShare }),
    heard(audioMs: number, processorMs: number) {
      done.audioMs += audioMs;
      done.processorMs += processorMs;
    },
  };
}

const inTime = { receivedMs: 60_000, lagMs: 100, quietMs: 100 };
const session = (given: Partial<HeardSession> = {}): HeardSession => ({
  recogniser: recogniser(),
  ageMs: 60_000,
  condition: inTime,
  ...given,
});
const sessions = (count: number, given: Partial<HeardSession> = {}) =>
  Array.from({ length: count }, () => session(given));

describe('admission', () => {
  it('accepts as many sessions as are expected to fit, whether they speak already or not', () => {
    const admission = createAdmission({ processors: 1, share: 0.8 });
    const own = recogniser();
    const aboutTo = { ageMs: 10, condition: { receivedMs: 0, lagMs: 0, quietMs: Infinity } };
    expect(admission.hasRoom(own, sessions(2, aboutTo))).toBe(true);
    expect(admission.hasRoom(own, sessions(3, aboutTo))).toBe(false);
    expect(admission.hasRoom(own, sessions(3))).toBe(false);
    expect(admission.describe(sessions(2))).toEqual({
      ...{ takes_sessions: true, load: 0.63, late_sessions: 0 },
    });
    expect(admission.describe(sessions(3)).takes_sessions).toBe(false);
    const silent = { condition: { ...inTime, quietMs: 30_000 } };
    expect(admission.hasRoom(own, sessions(30, silent))).toBe(true);
  });

  it('follows the measured effort of speakers, upwards faster than downwards', () => {
    const admission = createAdmission({ processors: 1, share: 0.8 });
    const own = recogniser();
    const heardBy = (count: number) => sessions(count, { recogniser: own });
    expect(admission.hasRoom(own, heardBy(2))).toBe(true);
    own.heard(30_000, 30_000 * 0.5);
    expect(admission.hasRoom(own, heardBy(2))).toBe(false);
    expect(admission.hasRoom(own, heardBy(1))).toBe(false);
    for (let round = 0; round < 20; round += 1) {
      own.heard(30_000, 30_000 * 0.15);
      admission.hasRoom(own, heardBy(1));
    }
    expect(admission.hasRoom(own, heardBy(4))).toBe(true);
    // Silence reveals nothing about the effort of speech.
    for (let round = 0; round < 50; round += 1) {
      own.heard(30_000, 0);
      admission.hasRoom(own, heardBy(1));
    }
    expect(admission.hasRoom(own, heardBy(5))).toBe(true);
    expect(admission.hasRoom(own, heardBy(6))).toBe(false);
  });

  it('accepts no session while sessions that speak are late', () => {
    const admission = createAdmission({ processors: 64, share: 0.8 });
    const own = recogniser();
    const late = session({ condition: { receivedMs: 60_000, lagMs: 5_000, quietMs: 50 } });
    expect(admission.hasRoom(own, [...sessions(1), late])).toBe(false);
    expect(admission.describe([...sessions(1), late])).toMatchObject({
      ...{ takes_sessions: false, late_sessions: 1 },
    });
    expect(admission.hasRoom(own, [...sessions(9), late])).toBe(true);
    const held = session({ condition: { ...late.condition, quietMs: 20_000 } });
    expect(admission.hasRoom(own, [...sessions(1), held])).toBe(false);
    // A recording sent faster than real time is behind on every machine.
    const recording = session({ condition: { receivedMs: 600_000, lagMs: 500_000, quietMs: 50 } });
    expect(admission.hasRoom(own, [recording])).toBe(true);
  });

  it('always accepts one local session, all remote ones, and any number without a limit', () => {
    const own = recogniser({ expectedShare: 3 });
    const small = createAdmission({ processors: 1, share: 0.1 });
    expect(small.hasRoom(own, [])).toBe(true);
    const elsewhere = { name: 'elsewhere' };
    expect(small.hasRoom(own, sessions(50, { recogniser: elsewhere }))).toBe(true);
    expect(small.hasRoom(elsewhere, sessions(5))).toBe(true);
    expect(small.hasRoom(own, sessions(1))).toBe(false);
    const unbounded = createAdmission({ processors: 1, share: 0 });
    expect(unbounded.hasRoom(own, sessions(50))).toBe(true);
    expect(unbounded.describe(sessions(50)).takes_sessions).toBe(true);
  });
});

it('refuses a session the server could not hear in time, and reports it in readiness and metrics', async () => {
  const server = await startHosted({ RECOGNISER: 'moonshine', VOICE_LOAD_PERCENT: '1' });
  try {
    const request = { source_media_content_type: PCM_16K, source_language: 'en' };
    const ask = () => server.post('/v3/voice/realtime', request);
    const readiness = async (): Promise<unknown> => (await server.get('/readyz')).json();
    expect(await readiness()).toEqual({
      ...{ status: 'ready', voice: { takes_sessions: true, load: 0, late_sessions: 0 } },
    });
    // The server accepts what a hundredth of its processors can hear, and at least one session.
    const statuses: number[] = [];
    let refusal: Response | undefined;
    while (refusal === undefined && statuses.length < 50) {
      const response = await ask();
      statuses.push(response.status);
      if (response.status !== 200) refusal = response;
    }
    expect(statuses[0]).toBe(200);
    expect(refusal?.status).toBe(429);
    expect(refusal?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refusal?.json()).toEqual({
      message: 'This server hears as many people as its machine can follow. Try again later.',
    });
    expect(await readiness()).toMatchObject({ voice: { takes_sessions: false } });
    const metrics = await (await server.get('/metrics')).text();
    expect(metrics).toContain('dragoman_voice_sessions_refused_total 1');
    expect(metrics).toMatch(/dragoman_voice_hearing_load [1-9]/);
  } finally {
    await server.stop();
  }
});
