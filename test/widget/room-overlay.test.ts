/** Captions over a picture, and on pages of other sites. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { RoomCaptions } from '../../widget/room-captions.ts';
import { excessWidth, faultsOfOverlay } from './axe.ts';
import { startEvents, untilShown, untilState, type EventBench } from './event-browser.ts';
import { keepPage } from './kept-page.ts';

let bench: EventBench;
let page: Page;
beforeAll(async () => {
  bench = await startEvents();
});
const pages = keepPage((address) => bench.open(address));
afterEach(({ task }) => pages.leave(page, task.result?.state !== 'fail'));
afterAll(async () => {
  await bench.close();
  expect(bench.pageErrors).toEqual([]);
});

/** Opens an address, or a path of the server, in the page left by the previous test. */
const open = async (address: string) =>
  (page = await pages.openAgain(new URL(address, bench.server.url).href));

function styleOf(page: Page, selector: string, property: string): Promise<string> {
  return page
    .locator(selector)
    .first()
    .evaluate((each, name) => getComputedStyle(each).getPropertyValue(name), property);
}

describe('the room overlay', () => {
  it('is transparent except for the last lines, and hides them after a silence', async () => {
    const room = await bench.makeRoom();
    await bench.type(room, { text: 'Long ago.' });
    await open(`/events/${room.room_id}/overlay?hide=1`);
    await untilState(page, 'waiting');
    const isSilent = () =>
      page.locator('room-captions').evaluate((each) => each.classList.contains('silent'));
    await expect.poll(isSilent).toBe(true);
    // A line is in the transcript when its event fires.
    await page.locator('room-captions').evaluate((each: RoomCaptions) => {
      const note = () => (each.dataset['heard'] = each.transcript.at(-1)?.text);
      each.addEventListener('rc-caption', note, { once: true });
    });
    await bench.type(room, { text: 'This is heard.' });
    await page.getByText('This is heard.').first().waitFor();
    expect(await page.locator('room-captions').getAttribute('data-heard')).toBe('This is heard.');
    await expect.poll(isSilent).toBe(false);
    expect(await faultsOfOverlay(page)).toEqual([]);
    await expect.poll(isSilent).toBe(true);
    for (const selector of ['html', 'body', 'room-captions', 'room-captions .base']) {
      expect(await styleOf(page, selector, 'background-color')).toBe('rgba(0, 0, 0, 0)');
    }
  });

  it('follows the style in its address, and ignores invalid styles', async () => {
    const room = await bench.makeRoom();
    const query = [
      'language=es&lines=3&position=top-left&font=Georgia&size=40&weight=700&hide=0',
      'color=ffe14d&background=00000080&box=block&width=50%25&margin=10&calmness=settled',
    ].join('&');
    await open(`/events/${room.room_id}/overlay?${query}`);
    await bench.type(room, { text: 'Arriba.', language: 'es' });
    await untilShown(page, ['Arriba.']);
    expect(await styleOf(page, 'room-captions .words', 'font-size')).toBe('40px');
    expect(await styleOf(page, 'room-captions .words', 'font-weight')).toBe('700');
    expect(await styleOf(page, 'room-captions .words', 'font-family')).toBe('Georgia');
    expect(await styleOf(page, 'room-captions .words', 'color')).toBe('rgb(255, 225, 77)');
    const box = (await page.locator('room-captions').boundingBox())!;
    expect([box.x, box.y, box.width]).toEqual([10, 10, 630]);
    expect(await page.evaluate(() => document.querySelector('room-captions')?.calmness)).toBe(
      'settled',
    );
    await page.goto(
      `${bench.server.url}/events/${room.room_id}/overlay?size=huge&color=url(x)&lines=none&position=nowhere`,
    );
    await untilState(page, 'waiting');
    expect(await page.evaluate(() => document.querySelector('room-captions')?.lines)).toBe(2);
  });

  it('has a box from the first line on, and nothing of a room that has ended', async () => {
    const room = await bench.makeRoom();
    await open(`/events/${room.room_id}/overlay?box=block&hide=0`);
    await untilState(page, 'waiting');
    expect(await styleOf(page, 'room-captions .base', 'background-color')).toBe('rgba(0, 0, 0, 0)');
    await bench.type(room, { text: 'Welcome.' });
    await untilShown(page, ['Welcome.']);
    expect(await styleOf(page, 'room-captions .base', 'background-color')).toBe(
      'rgba(0, 0, 0, 0.76)',
    );
    expect(await styleOf(page, 'room-captions', 'opacity')).toBe('1');
    await bench.server.send(`/v1/rooms/${room.room_id}`, { method: 'DELETE' });
    await expect.poll(() => styleOf(page, 'room-captions', 'opacity')).toBe('0');
  });

  it('shows no message about an unreachable server', async () => {
    await open('/events/abcdefghjk/overlay');
    await untilState(page, 'gone');
    expect((await page.locator('body').innerText()).trim()).toBe('');
  });
});

it("a reader's page with letters of twice the size keeps the name of the language", async () => {
  const room = await bench.makeRoom();
  await open(`/events/${room.room_id}?language=es`);
  await page.setViewportSize({ width: 360, height: 740 });
  await untilState(page, 'waiting');
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
  const { width } = (await page.locator('.language').boundingBox())!;
  expect(width).toBeGreaterThan(280);
  expect(await excessWidth(page)).toBe(0);
  // Nor is it cut off where there is room for all of it.
  await page.evaluate(() => (document.documentElement.style.fontSize = ''));
  await page.setViewportSize({ width: 1366, height: 768 });
  const select = page.locator('.language select');
  const wanted = await select.evaluate((each: HTMLSelectElement) => {
    const alone = each.parentElement!.appendChild(each.cloneNode(true) as HTMLSelectElement);
    alone.style.cssText =
      'position: absolute; inline-size: max-content; padding-inline: 3rem 2.5rem';
    const { width: all } = alone.getBoundingClientRect();
    alone.remove();
    return all;
  });
  expect((await select.boundingBox())!.width).toBeGreaterThanOrEqual(Math.floor(wanted));
  await page.setViewportSize({ width: 1280, height: 720 });
});

describe('a page of another site', () => {
  it('embeds the element with one script and one tag', async () => {
    const room = await bench.makeRoom();
    const { url } = bench.server;
    const site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><html lang="en"><title>Programme</title>
        <script type="module" src="${url}/room-captions.js"></script>
        <room-captions src="${url}/events/${room.room_id}" language="es"></room-captions>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const { port } = site.address() as AddressInfo;
    await open(`http://127.0.0.1:${port}/`);
    await page
      .getByText('Nadie habla todavía')
      .or(page.getByText('Nobody is speaking yet'))
      .waitFor();
    await bench.type(room, { text: 'Desde otro sitio.', language: 'es' });
    await untilShown(page, ['Desde otro sitio.']);
    // A reset of the page takes neither the height, without which nothing scrolls, nor the colour of the text.
    // Nor do the blanks of its markup count where the page keeps those of its own.
    const reset = (rules: string) =>
      page.evaluate((each) => {
        const captions = document.querySelector('room-captions')!;
        const sheet = document.head.appendChild(document.createElement('style'));
        sheet.textContent = `body { color: #fff; white-space: pre; } body * { ${each} }`;
        const base = captions.shadowRoot!.querySelector<HTMLElement>('.base')!;
        const { offsetHeight: height } = base;
        const { color, whiteSpace } = getComputedStyle(base);
        sheet.remove();
        return { height, isWhite: color === 'rgb(255, 255, 255)', whiteSpace };
      }, rules);
    for (const rules of ['all: unset;', 'all: unset; display: block;']) {
      expect(await reset(rules)).toEqual({ height: 384, isWhite: false, whiteSpace: 'normal' });
    }
    // In a row of the page, the element has a width of its own.
    const width = await page.evaluate(() => {
      document.body.style.display = 'flex';
      return document.querySelector('room-captions')!.offsetWidth;
    });
    expect(width).toBe(640);
    const other = await bench.makeRoom();
    // Out of the page it takes no reader's place.
    const outside = await page.evaluate(async (src) => {
      const captions = document.querySelector('room-captions')!;
      captions.remove();
      await Promise.resolve();
      captions.src = src;
      await captions.updateComplete;
      const { state } = captions;
      document.body.append(captions);
      return state;
    }, other.viewer_url!);
    expect(outside).toBe('idle');
    // Defaults return with a removed attribute, and the page's language is found from inside a shadow root.
    const inside = await page.evaluate(async () => {
      const host = document.body.appendChild(document.createElement('div'));
      host.lang = 'de';
      const captions = document.createElement('room-captions');
      captions.setAttribute('calmness', 'settled');
      host.attachShadow({ mode: 'open' }).append(captions);
      await captions.updateComplete;
      captions.removeAttribute('calmness');
      await captions.updateComplete;
      const name = captions.shadowRoot!.querySelector('section')!.ariaLabel;
      host.remove();
      return { name, calmness: captions.calmness };
    });
    expect(inside).toEqual({ name: 'Live-Untertitel', calmness: 'instant' });
    await untilState(page, 'waiting');
    // Before the first words, the message has the paper of the captions. One line has room for its title, no hint.
    const message = await page.evaluate(async () => {
      const captions = document.querySelector('room-captions')!;
      captions.lines = 1;
      await captions.updateComplete;
      const part = (name: string) => captions.shadowRoot!.querySelector<HTMLElement>(name)!;
      const box = part('.base').getBoundingClientRect();
      return {
        isOnPaper: getComputedStyle(part('.base')).backgroundColor === 'rgb(255, 255, 255)',
        whole: ['.title', '.hint'].filter((name) => {
          const { x, y, right, bottom } = part(name).getBoundingClientRect();
          return x >= box.x && y >= box.y && right <= box.right && bottom <= box.bottom;
        }),
        cut: ['.title', '.hint'].filter((name) => {
          const { x, y, right, bottom } = part(name).getBoundingClientRect();
          const isSeen = x < box.right && right > box.x && y < box.bottom && bottom > box.y;
          return isSeen && (x < box.x || y < box.y || right > box.right || bottom > box.bottom);
        }),
      };
    });
    expect(message).toEqual({ isOnPaper: true, whole: ['.title'], cut: [] });
    await new Promise((resolve) => site.close(resolve));
  });
});
