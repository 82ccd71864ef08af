import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DetectionResponse } from '../../shared/schemas/detection.ts';
import { askDragoman } from '../support/command-line.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => (server = await startServer({ RECOGNISER: 'silent' })));
afterAll(() => server.stop());

const path = '/v3/detect/language';
const detect = async (body: unknown) => {
  const response = await server.post(path, body);
  const answer = (await response.json()) as DetectionResponse & { message: string };
  return { status: response.status, ...answer };
};
const german = { detection_status: 'success', detected_language: 'de' };

describe('POST /v3/detect/language', () => {
  it('answers each text with one of four statuses, in order', async () => {
    const { status, results } = await detect({
      text: [
        'Die Kinder spielen im Garten.',
        'Hotel',
        'Els nens aprenen a llegir i a escriure el primer any d’escola.',
        '12:30',
      ],
    });
    expect(status).toBe(200);
    expect(results).toEqual([
      german,
      { detection_status: 'insufficient_confidence' },
      { detection_status: 'unsupported_language' },
      { detection_status: 'no_language_detected' },
    ]);
  });

  it('takes a single text, and forms', async () => {
    expect((await detect({ text: 'Guten Tag' })).results).toEqual([german]);
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { Authorization: `DeepL-Auth-Key ${server.apiKey}` },
      body: new URLSearchParams('text=Guten+Tag&text=Guten+Morgen'),
    });
    expect(await response.json()).toEqual({ results: [german, german] });
  });

  it('takes 50 texts and no more', async () => {
    expect((await detect({ text: Array(50).fill('Guten Tag') })).results).toHaveLength(50);
    const refused = await detect({ text: Array(51).fill('Guten Tag') });
    expect(refused).toMatchObject({
      status: 400,
      message: expect.stringContaining('text') as unknown,
    });
  });

  it.each([{}, { text: [] }, { text: null }])('answers %j with 400', async (body) => {
    expect(await detect(body)).toEqual({ status: 400, message: 'Missing parameter text.' });
  });

  it('answers other content types with 415 and those it takes', async () => {
    const response = await server.post(path, 'a', { 'Content-Type': 'text/plain' });
    expect(response.status).toBe(415);
    expect(await response.json()).toEqual({
      message: expect.stringMatching(
        /application\/json.*application\/x-www-form-urlencoded/,
      ) as unknown,
    });
  });

  it('is closed without a key, and to accounts without the feature', async () => {
    const anonymous = await fetch(server.url + path, { method: 'POST' });
    expect(anonymous.status).toBe(403);

    const settings = { DATA_DIR: server.dataFolder };
    await askDragoman(['account', 'create', '--name', 'Plain', '--plan', 'pro'], settings);
    const { secret } = await askDragoman<{ secret: string }>(
      ['key', 'create', '--account', 'Plain'],
      settings,
    );
    const headers = { Authorization: `DeepL-Auth-Key ${secret}` };
    const response = await server.post(path, { text: ['Guten Tag'] }, headers);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      message: expect.stringContaining('detection') as unknown,
    });
  });
});
