import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { ScriptedSession } from '../support/services/scripted-gateway.ts';
import { faults, showOn } from './axe.ts';
import { elementPage, startBench, waitForState, type WidgetBench } from './browser.ts';

let bench: WidgetBench;
let page: Page;
beforeAll(async () => {
  bench = await startBench({
    microphone: 'denied',
    pages: { '/page': elementPage('target-languages="es"') },
  });
  bench.gateway.onConnect = speak;
});
afterAll(() => bench.close());
afterEach(({ task }) => bench.leave(page, task.result?.state !== 'fail'));

/** Sends concluded and tentative words in every requested language. */
function speak(session: ScriptedSession): void {
  const segment = (text: string) => ({ language: 'en', text, start_time: 0, end_time: 900 });
  const lists = {
    concluded: [segment('We have begun. And now')],
    tentative: [segment(' we go on')],
  };
  session.send({ type: 'source_transcript_update', ...lists });
  for (const language of session.request.target_languages) {
    session.send({ type: 'target_transcript_update', language, ...lists });
  }
}

/** Starts with the page's own stream, because the microphone is denied in this browser. */
async function goLive(page: Page): Promise<void> {
  await page.evaluate(() => {
    const captions = document.querySelector('voice-captions')!;
    captions.source = new AudioContext().createMediaStreamDestination().stream;
    captions.start();
  });
  await page.locator('voice-captions .target .tentative').first().waitFor();
}

/** A denied microphone is reported with the remedy. */
async function denyMicrophone(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start captions' }).click();
  await waitForState(page, 'microphone-denied');
  const status = page.locator('voice-captions').getByRole('status').first();
  expect(await status.innerText()).toContain('The microphone is blocked');
  expect(await status.innerText()).toContain('site settings');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
}

/** Steps into each visually different state, one after the other on the same page. */
const enter: Record<string, (page: Page) => Promise<void>> = {
  idle: async () => undefined,
  'idle, with speech': async (page) => {
    await page.getByLabel('They hear').selectOption('es');
    await page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
  },
  'microphone-denied': denyMicrophone,
  live: goLive,
  muted: async (page) => {
    await page.getByRole('button', { name: 'Mute', exact: true }).click();
    await page.getByRole('button', { name: 'Unmute' }).waitFor();
  },
  'without sound': async (page) => {
    // Bytes that are not decodable speech.
    const chunk = { language: 'es', data: [new Uint8Array(40)], duration: 20 };
    bench.gateway.sessions.at(-1)!.send({ type: 'target_media_chunk', ...chunk });
    await page.getByRole('button', { name: 'No sound' }).waitFor();
  },
  ended: async (page) => {
    await page.getByRole('button', { name: 'Stop' }).click();
    await waitForState(page, 'ended');
  },
  failed: async (page) => {
    bench.gateway.refusal = { status: 403, message: 'Please sign in first.' };
    await page.getByRole('button', { name: 'Start captions' }).click();
    await waitForState(page, 'failed');
    bench.gateway.refusal = undefined;
  },
};

describe('in light and dark colour schemes', () => {
  it('axe finds no faults, and all text has a contrast of 7:1', async () => {
    page = await bench.openAgain('/');
    await page.locator('.chip').first().waitFor();
    for (const [state, reach] of Object.entries(enter)) {
      await page.emulateMedia({ colorScheme: 'light' });
      await reach(page);
      // The surroundings of the element stay the same from then on.
      const isNewAround = state.startsWith('idle') || state === 'live';
      const around = isNewAround ? { leastContrast: 4.5 } : undefined;
      const isSeen = !['live', 'failed'].includes(state);
      const found = [
        ...(around === undefined
          ? []
          : await faults(page, { ...around, isSeen: state !== 'idle' })),
        ...(await faults(page, { within: 'voice-captions', isSeen })),
      ];
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = [
        ...(around === undefined ? [] : await faults(page, { ...around, isSeen: true })),
        ...(await faults(page, { within: 'voice-captions', isSeen: true })),
      ];
      expect({ state, found, dark }).toEqual({ state, found: [], dark: [] });
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });
});

describe('by keyboard', () => {
  const focused = (page: Page) =>
    page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      const label = element instanceof HTMLInputElement ? element.labels?.[0] : undefined;
      const name =
        label?.textContent ?? element?.getAttribute('aria-label') ?? element?.textContent;
      // The focus ring of a chip is drawn around its visible part.
      const seen = label?.querySelector('span') ?? element;
      const ring = seen === null ? '' : getComputedStyle(seen).outlineStyle;
      return { name: name?.trim() ?? '', ring };
    });

  it('every control is reached in order, with a visible focus', async () => {
    page = await bench.openAgain('/');
    await page.locator('.chip').nth(5).waitFor();
    const names: string[] = [];
    for (let step = 0; step < 16; step++) {
      await page.keyboard.press('Tab');
      const { name, ring } = await focused(page);
      // Past the last control the focus leaves the page.
      if (await page.evaluate(() => document.activeElement === document.body)) break;
      names.push(name);
      expect([name, ring]).toEqual([name, 'solid']);
    }
    const order = [
      'Spanish',
      'Portuguese (Brazil)',
      'Start captions',
      'Smaller text',
      'Larger text',
      'Try it with a sample',
      'Copy',
      'Copy',
    ];
    expect(names.filter((name) => order.includes(name))).toEqual(order);
  });

  it('the element starts, stops and resizes', async () => {
    page = await bench.openAgain('/page');
    await page.evaluate(() => {
      const context = new AudioContext();
      document.querySelector('voice-captions')!.source =
        context.createMediaStreamDestination().stream;
    });
    await page.keyboard.press('Tab');
    expect((await focused(page)).name).toBe('Start captions');
    await page.keyboard.press('Enter');
    await waitForState(page, 'live');
    // The button has changed, but the focus has stayed.
    expect((await focused(page)).name).toBe('Stop');
    const size = () =>
      page.evaluate(() => {
        const block = document
          .querySelector('voice-captions')!
          .shadowRoot!.querySelector('.target .lines')!;
        return parseFloat(getComputedStyle(block).fontSize);
      });
    const before = await size();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await expect.poll(size).toBeCloseTo(before * 1.25, 1);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect.poll(size).toBeCloseTo(before * 0.75, 1);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    await waitForState(page, 'ended');
    expect((await focused(page)).name).toBe('Start captions');
  });
});

describe('under user preferences and on small screens', () => {
  it('every touch target is at least 44 pixels tall and wide, and nothing is cut off, from a small phone to a large screen', async () => {
    page = await bench.openAgain('/');
    await showOn(page, 'phone');
    await page.locator('.chip').first().waitFor();
    const small = await page.evaluate(() => {
      const root = document.querySelector('voice-captions')!.shadowRoot!;
      const controls = [
        ...root.querySelectorAll('button'),
        ...document.querySelectorAll('button, select, input, nav a'),
      ];
      return controls
        .map((control) => ({ control, box: control.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.height < 44 || box.width < 24))
        .map(({ control }) => control.outerHTML);
    });
    expect(small).toEqual([]);
    await showOn(page, 'laptop');
    // The last two widths are columns of a page.
    for (const width of [300, 390, 768, 1920, 180, 140]) {
      const column = width < 300 ? `${width}px` : '';
      if (column === '') await page.setViewportSize({ width, height: 800 });
      const overflow = await page.evaluate((inlineSize) => {
        const captions = document.querySelector('voice-captions')!;
        captions.style.inlineSize = inlineSize;
        captions.scrollIntoView({ block: 'end' });
        const root = captions.shadowRoot!;
        // Elements that extend beyond the frame to the right, and overlapping controls.
        const controls = [...root.querySelectorAll('button')];
        const covered = controls.filter((control) => {
          const { right, top, height } = control.getBoundingClientRect();
          return root.elementFromPoint(right - 4, top + height / 2)?.closest('button') !== control;
        });
        const wide = [...root.querySelectorAll('.caption, .status, .title, .toolbar')].filter(
          (element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0,
        );
        const pageWidth = document.documentElement.scrollWidth;
        const found = [...covered, ...wide].map((element) => element.outerHTML);
        return { found, page: pageWidth - innerWidth };
      }, column);
      expect({ width, ...overflow }).toEqual({ width, found: [], page: 0 });
    }
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  it('the element takes its colours from the system, and nothing moves under reduced motion', async () => {
    page = await bench.openAgain('/page');
    const colourOf = (selector: string) =>
      page.evaluate(
        (each) =>
          getComputedStyle(
            document.querySelector('voice-captions')!.shadowRoot!.querySelector(each)!,
          ).backgroundColor,
        selector,
      );
    expect(await colourOf('.base')).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colourOf('.base')).toBe('rgb(22, 27, 29)');
    // The meter and the buttons are visible in forced colours.
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
    expect(await colourOf('.bar')).not.toBe(await colourOf('.toolbar'));
    const border = await page
      .locator('voice-captions .button.main')
      .evaluate((button) => getComputedStyle(button).borderTopStyle);
    expect(border).toBe('solid');
    await page.emulateMedia({ forcedColors: null, reducedMotion: 'reduce' });
    await goLive(page);
    const moving = await page.evaluate(() => {
      const root = document.querySelector('voice-captions')!.shadowRoot!;
      return [...root.querySelectorAll('*')].filter((element) => {
        const { transitionDuration, animationName } = getComputedStyle(element);
        return transitionDuration !== '0s' || animationName !== 'none';
      }).length;
    });
    expect(moving).toBe(0);
  });
});

it('a page whose frame denies the microphone reports that', async () => {
  page = await bench.openAgain('/page');
  await page.evaluate(async () => {
    const frame = document.createElement('iframe');
    frame.allow = "microphone 'none'";
    frame.srcdoc = await (await fetch('/page')).text();
    document.body.replaceChildren(frame);
  });
  const framed = page.frameLocator('iframe');
  await framed.getByRole('button', { name: 'Start captions' }).click();
  await framed.getByText('give its frame allow="microphone"').waitFor();
});

it('a network that blocks WebSockets is reported', async () => {
  page = await bench.openAgain('/page');
  await page.evaluate(() => {
    class BlockedSocket {
      onclose?: (event: { code: number }) => void;
      constructor() {
        document.title += '·';
        setTimeout(() => this.onclose?.({ code: 1006 }));
      }
      close(): void {}
    }
    Object.assign(globalThis, { WebSocket: BlockedSocket });
    const captions = document.querySelector('voice-captions')!;
    captions.source = new AudioContext().createMediaStreamDestination().stream;
    captions.start();
  });
  await page.getByText('This network may block it').waitFor();
  // Fewer tries than for a server that may come back.
  expect((await page.title()).match(/·/g)).toHaveLength(3);
});
