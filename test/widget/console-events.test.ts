/** The console's events page over a real server: creating, watching, changing and deleting rooms. */
import { readFileSync } from 'node:fs';
import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RoomCreation, RoomInfo, RoomLink } from '../../shared/schemas/rooms.ts';
import { sharedServer } from '../support/product/shared-server.ts';
import { excessWidth, faults, faultsInBothLooks } from './axe.ts';
import { sessionOf, startConsole, type ConsoleBench } from './console-browser.ts';
import { answerOf, nameOfFocused } from './console-steps.ts';

let bench: ConsoleBench;
let page: Page;
beforeAll(async () => {
  bench = await startConsole();
});
afterAll(() => bench.close());
afterEach(({ task }) => bench.leave(page, task.result?.state !== 'fail'));

const open = async (fragment: string) => (page = await bench.openAgain(fragment));
const button = (name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (name: string) => page.getByLabel(name, { exact: true }).filter({ visible: true });
const text = (words: string | RegExp) => page.getByText(words).first().waitFor();
const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

const makeRoom = (creation: RoomCreation) =>
  answerOf<RoomInfo>(bench.server.post('/v1/rooms', creation));
const read = <T>(path: string) => answerOf<T>(bench.server.send(path, { method: 'GET' }));
const roomOf = (id: string) => read<RoomInfo>(`/v1/rooms/${id}`);
const type = (id: string, words: string) =>
  bench.server.post(`/v1/rooms/${id}/captions`, { text: words });

/** Connects a reader; resolves when the room has answered, with a promise of the close code. */
async function readAlong(id: string, query: string): Promise<{ closed: Promise<number> }> {
  const socket = new WebSocket(
    `${bench.server.url.replace(/^http/, 'ws')}/v1/rooms/${id}/live?${query}`,
  );
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => socket.once('message', resolve));
  return { closed };
}

/** Returns the file that is downloaded by pressing a button. */
async function downloadOf(press: () => Promise<void>): Promise<{ name: string; content: Buffer }> {
  const [saved] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: saved.suggestedFilename(), content: readFileSync(await saved.path()) };
}

it('a room is created by a form that explains itself, and provides its links and code', async () => {
  await open('#/events');
  await text('A room is for one stage or one meeting.');
  expect(await button('New room').count()).toBe(1);
  await button('New room').click();
  await field('Name').waitFor();
  await button('Make room').click();
  await page.getByRole('alert').getByText('Please enter a name.').waitFor();
  await expect.poll(() => nameOfFocused(page)).toBe('Name');
  await field('Name').fill('Main stage');
  // After a visit to another page, the room is unchanged.
  await page.evaluate(() => (location.hash = '#/overview'));
  await heading('Overview');
  await page.evaluate(() => (location.hash = '#/events'));
  await text('What you typed into New room is kept.');
  await button('New room').click();
  await field('Name').waitFor();
  expect(await field('Name').inputValue()).toBe('Main stage');
  await field('What is spoken').selectOption({ label: 'English' });
  await field('Add a language').selectOption({ label: 'Spanish' });
  await field('Add a language').selectOption({ label: 'French' });
  await field('Always translate Spanish').check();
  await page.getByRole('radio', { name: /^Whoever knows a passcode/ }).check();
  await text('Nothing of what is said is ever written to disk.');
  await field('How long the transcript is kept').selectOption({ label: '2 days' });
  await button('Make room').click();
  await heading('Main stage');

  const rooms = await read<{ rooms: RoomInfo[] }>('/v1/rooms');
  const room = rooms.rooms.find(({ name }) => name === 'Main stage')!;
  expect(room).toMatchObject({
    languages: ['es', 'fr'],
    always: ['es'],
    source_language: 'en',
    access: 'passcode',
    keep_hours: 48,
  });
  expect(await field('Link: Readers').inputValue()).toBe(room.viewer_url);
  expect(await field('Link: Speaker').inputValue()).toBe(room.speaker_url);
  expect(await field('Link: Captioner').inputValue()).toBe(room.captioner_url);
  expect(await field('Link: Screen').inputValue()).toBe(room.overlay_url);
  await text(`Asks for the passcode ${room.passcode}.`);

  const code = page.getByRole('img', { name: 'QR code of the link for readers' });
  await expect
    .poll(() => code.evaluate((img) => (img as HTMLImageElement).naturalWidth))
    .not.toBe(0);
  const svg = await downloadOf(() => page.getByRole('link', { name: 'SVG' }).click());
  expect(svg).toMatchObject({ name: 'Main stage.svg' });
  expect(svg.content.toString()).toMatch(/^(<\?xml[^>]*>)?\s*<svg/);

  await button('Show large').click();
  const poster = page.getByRole('dialog', { name: 'Main stage' });
  await poster.getByText('español').waitFor();
  await poster.getByText(room.passcode!).waitFor();
  // On paper only these are visible.
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('heading', { name: 'Links and code' }).isVisible()).toBe(false);
  expect(await poster.getByRole('img').isVisible()).toBe(true);
  await page.emulateMedia({ media: null });
  await page.keyboard.press('Escape');
  await expect.poll(() => poster.count()).toBe(0);
});

it('arriving readers are shown at once, and pausing changes nothing else', async () => {
  const { room_id: id } = await makeRoom({
    name: 'Watched',
    languages: ['es', 'fr'],
    access: 'passcode',
    passcode: 'open-sesame',
    keep_hours: 5,
  });
  await open('#/events');
  const row = page.getByRole('row', { name: 'Watched' });
  await row.getByText('Waiting').waitFor();
  const entry = await bench.server.post(`/v1/rooms/${id}/live/entry`, { passcode: 'open-sesame' });
  const { key } = (await entry.json()) as { key: string };
  await readAlong(id, `language=es&key=${key}`);
  const reader = await readAlong(id, `language=spoken&key=${key}`);
  await row.getByText('1 as spoken, 1 Spanish').waitFor();
  await row.getByRole('link').click();
  await text('Nobody speaks. 2 read along.');
  await page
    .getByRole('listitem')
    .filter({ hasText: /^\s*Spanish\s*1\s*$/ })
    .waitFor();

  await button('Pause').click();
  await text('Nothing that is said gets into the room.');
  expect(await roomOf(id)).toMatchObject({
    state: 'paused',
    access: 'passcode',
    passcode: 'open-sesame',
    keep_hours: 5,
    viewers: { es: 1, spoken: 1 },
  });
  await button('Go on').click();
  await text('Nobody speaks.');

  await button('Rename').click();
  await field('Name').fill('Seen');
  await button('Rename').last().click();
  await heading('Seen');
  await button('Delete').first().click();
  await text('2 readers will be sent away.');
  await button('Delete room').click();
  await text('The room was deleted.');
  await heading('Events');
  expect(await reader.closed).toBe(4404);
});

it('settings are changed one by one, and readers stay unless the access changes', async () => {
  const { room_id: id } = await makeRoom({ name: 'Set up', languages: ['es'], keep_hours: 36 });
  const reader = await readAlong(id, 'language=es');
  await open(`#/events/${id}`);
  const changes: unknown[] = [];
  page.on('request', (request: Request) => {
    if (request.method() === 'PATCH') changes.push(request.postDataJSON());
  });
  await button('Change').click();
  await field('Add a language').selectOption({ label: 'Catalan' });
  await field('How long the transcript is kept').selectOption({ label: 'Not at all' });
  await text('What has been kept is deleted as soon as you save.');
  await button('Save').last().click();
  await text('Spanish, Catalan');
  expect((await roomOf(id)).viewers).toEqual({ es: 1 });

  await button('Change').click();
  await field('How long the transcript is kept').selectOption({ label: 'Another time…' });
  await field('Hours').fill('0.5');
  await page.evaluate(() => (location.hash = '#/overview'));
  await heading('Overview');
  await page.goBack();
  await button('Change').click();
  expect(await field('Hours').inputValue()).toBe('0.5');
  await page.getByRole('radio', { name: /^Whoever has a signed link/ }).check();
  await text('is asked to come in again');
  await button('Save').last().click();
  await text('It has a key in it');
  await text('Each line is deleted 30 min after it was said.');
  expect(await reader.closed).toBe(4403);
  expect(changes).toEqual([
    { languages: ['es', 'ca'], always: [], keep_hours: 0 },
    { access: 'link', keep_hours: 0.5 },
  ]);
});

it('words are replaced and hidden from the next sentence on, and unsaved words are kept across pages', async () => {
  const { room_id: id } = await makeRoom({ name: 'Worded', languages: [], keep_hours: 1 });
  await open(`#/events/${id}`);
  await field('Heard, line 1').fill('zembler');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Zembla');
  await page.keyboard.press('Enter');
  await expect.poll(() => nameOfFocused(page)).toBe('Heard, line 2');
  await page.keyboard.type('ZEMBLER');
  await text('“ZEMBLER” is there twice.');
  await button('Remove line 2: ZEMBLER').click();
  await field('Heard, line 2').evaluate((cell) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'drago man\tDragoman\nliver pool\tLiverpool\n');
    cell.dispatchEvent(new ClipboardEvent('paste', { clipboardData, cancelable: true }));
  });
  await field('Hidden words').fill('damn\n\n damn \nsecret');
  await text('Not saved yet: words put right and hidden words.');
  await page.getByRole('link', { name: 'Glossaries' }).click();
  await page.goBack();
  await text('Not saved yet: words put right and hidden words.');
  await button('Save').click();
  await text('All changes are saved.');
  expect(await field('Hidden words').inputValue()).toBe('damn\nsecret');
  expect(await roomOf(id)).toMatchObject({
    replacements: [
      { from: 'zembler', to: 'Zembla' },
      { from: 'drago man', to: 'Dragoman' },
      { from: 'liver pool', to: 'Liverpool' },
    ],
    hidden_words: ['damn', 'secret'],
  });
  await type(id, 'Damn, the zembler is a secret.');
  await page.reload();
  await text('1 line');
  const { content } = await downloadOf(() => button('Download').click());
  expect(content.toString()).toBe('•••, the Zembla is a •••.\n');
});

it('links have a name and a lifetime, and revoking one disconnects its users', async () => {
  const { room_id: id } = await makeRoom({ name: 'Linked', languages: ['es'], access: 'link' });
  await open(`#/events/${id}`);
  await button('New link').click();
  await field('Whom it is for').fill('Press');
  await field('How long').selectOption({ label: '1 day' });
  await button('Make link').click();
  const url = await field('The new link').inputValue();
  await expect.poll(() => nameOfFocused(page)).toBe('Done');
  // A browser's clock that is wrong does not expire it.
  await page.evaluate(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + 172_800_000;
  });
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /Press Reader Until/ }).waitFor();
  // The room's own links describe their purpose.
  for (const audience of ['Readers and screens', 'Captioners', 'Speakers']) {
    await page.getByRole('rowheader', { name: `${audience} Made with the room` }).waitFor();
  }
  const { links } = await read<{ links: RoomLink[] }>(`/v1/rooms/${id}/links`);
  const made = links.find(({ label }) => label === 'Press')!;
  expect(made).toMatchObject({ role: 'viewer', url });
  const hours = (Date.parse(made.expiry_time!) - Date.parse(made.creation_time)) / 3_600_000;
  expect(hours).toBeCloseTo(24, 2);
  const reader = await readAlong(id, `key=${new URL(url).hash.replace('#key=', '')}`);
  await button('Revoke link: Reader, Press').click();
  await expect.poll(() => nameOfFocused(page)).toBe('Cancel');
  await button('Revoke link').click();
  await text('The link was revoked.');
  expect(await reader.closed).toBe(4403);

  // Two without a label have names of their own.
  await bench.server.post(`/v1/rooms/${id}/links`, { role: 'captioner' });
  await page.reload();
  await button('Revoke link: Captioners').waitFor();
  await page.getByRole('button', { name: /^Revoke link: Captioners, made .*:/ }).waitFor();

  await button('Revoke link: Speakers').click();
  await text('It is one of those shown above');
  await button('Revoke link').click();
  await text('Every lasting link of this kind was revoked.');
});

it('the transcript is saved in any language and format, and deleted', async () => {
  const { room_id: id } = await makeRoom({ name: 'Said', languages: ['es'] });
  // Typed by a person in this language only.
  await bench.server.post(`/v1/rooms/${id}/captions`, { text: 'Hola.', language: 'es' });
  await open(`#/events/${id}`);
  await button('Download').waitFor();
  await type(id, 'Good morning, everybody.');
  await page.reload();
  await field('Language').selectOption({ label: 'Spanish' });
  await field('File').selectOption({ label: 'Subtitles (SRT)' });
  const subtitles = await downloadOf(() => button('Download').click());
  expect(subtitles.name).toBe('Said (Spanish).srt');
  expect(subtitles.content.toString()).toContain('00:00:00,000 -->');
  await field('File').selectOption({ label: 'Word (DOCX)' });
  const document = await downloadOf(() => button('Download').click());
  expect(document.content.subarray(0, 2).toString()).toBe('PK');
  await button('Delete').last().click();
  await button('Delete transcript').click();
  await text('Nothing has been said yet.');
  const left = await bench.server.send(`/v1/rooms/${id}/transcript?format=txt`, { method: 'GET' });
  expect(await left.text()).toBe('');
});

it('a plan without rooms and a deleted room are reported', async () => {
  const free = await sharedServer('silent', 'free');
  await open('#/events/2222222222');
  await text('It was deleted, or the address has been mistyped.');
  const own = await page.context().cookies();
  const { cookies } = await sessionOf(free, await free.consoleLink());
  await page.context().addCookies(cookies);
  await page.reload();
  await page.getByRole('link', { name: 'Events' }).first().click();
  await text('Not part of the free plan');
  expect(await button('New room').count()).toBe(0);
  await page.context().addCookies(own);
  await page.reload();
});

it('room, form and poster fit a laptop and a phone, and axe finds no faults', async () => {
  const { room_id: id } = await makeRoom({
    name: 'Looked at',
    languages: ['es', 'fr', 'ca', 'it', 'pt'],
    access: 'passcode',
    keep_hours: 1,
    replacements: [{ from: 'zembler', to: 'Zembla' }],
  });
  await type(id, 'Good morning.');
  await open('#/events');
  await page.getByRole('link', { name: 'Looked at' }).first().waitFor();
  // Between a phone and a laptop, or on a laptop at 200 %, nothing is cut off.
  await page.setViewportSize({ width: 683, height: 384 });
  const cut = ({ scrollWidth, clientWidth }: Element) => scrollWidth - clientWidth;
  expect(await page.locator('.table-frame').evaluate(cut)).toBe(0);
  await page.goto(`${bench.server.url}/console/#/events/${id}`);
  await text('1 line');
  await button('Revoke link: Speakers').waitFor();
  const room = await faultsInBothLooks(page, { within: 'main', isEnlarged: true });
  expect(room).toEqual({ laptop: [], phone: [], excess: 0 });
  // Cameras read dark on light, also where the system chooses the colours.
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
  const ground = await page
    .getByRole('img', { name: 'QR code' })
    .evaluate((code) => getComputedStyle(code).backgroundColor);
  expect(ground).toBe('rgb(255, 255, 255)');
  await page.emulateMedia({ forcedColors: 'none' });
  const look = async (within: string) => [await faults(page, { within }), await excessWidth(page)];
  await button('Show large').click();
  await page.getByRole('dialog', { name: 'Looked at' }).waitFor();
  expect(await look('dialog[aria-labelledby="name"]')).toEqual([[], 0]);
  await page.keyboard.press('Escape');
  await page.evaluate(() => (location.hash = '#/events'));
  await button('New room').click();
  await field('Name').waitFor();
  await page.getByRole('radio', { name: /^Whoever knows a passcode/ }).check();
  expect(await look('console-dialog')).toEqual([[], 0]);
});

it('the event pages throw nothing and violate no policy', () => {
  expect(bench.pageErrors).toEqual([]);
});
