/** Reading captions on small and large screens, with small and large fonts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { captionUpdate, elementPage, receive, startBench, type WidgetBench } from './browser.ts';

const LONG = {
  en: 'We meet here today to see how far plain words can go when many people read them at the same time, wherever they sit and whatever the size of the screen in front of them may be. ',
  es: 'Nos reunimos hoy aquí para ver hasta dónde llegan las palabras sencillas cuando las leen muchos a la vez, se sienten donde se sienten y tengan delante la pantalla que tengan. ',
  fr: 'Nous voici réunis pour voir jusqu’où vont les mots simples quand beaucoup les lisent en même temps, où qu’ils soient assis et quelle que soit la taille de leur écran. ',
};

let bench: WidgetBench;

beforeAll(async () => {
  bench = await startBench({
    pages: {
      '/one': elementPage('target-languages="es"'),
      '/two': elementPage('target-languages="es fr"'),
      '/large': elementPage('target-languages="es" font-scale="2"'),
    },
  });
});
afterAll(() => bench.close());

async function open(target: string, width: number): Promise<Page> {
  const page = await bench.openAgain(target);
  await page.setViewportSize({ width, height: 900 });
  for (const language of ['en', 'es', 'fr'] as const) {
    await receive(page, captionUpdate(language, { concluded: LONG[language] }));
  }
  return page;
}

/** Returns the letters of the fullest line of a language, its share of the width, and its font size. */
function fullestLine(page: Page, language: string) {
  return page.evaluate((lang) => {
    const root = document.querySelector('voice-captions')!.shadowRoot!;
    const line = root.querySelector(`.caption[lang=${lang}] [part=concluded]`)!;
    const text = [...line.childNodes].find(
      (node) => node instanceof Text && node.length > 99,
    ) as Text;
    const range = document.createRange();
    const letters = new Map<number, number>();
    let right = 0;
    for (let index = 0; index < text.length; index++) {
      range.setStart(text, index);
      range.setEnd(text, index + 1);
      const box = range.getBoundingClientRect();
      letters.set(box.top, (letters.get(box.top) ?? 0) + 1);
      right = Math.max(right, box.right);
    }
    const track = line.closest('.track')!.getBoundingClientRect();
    return {
      letters: Math.max(...letters.values()),
      share: (right - track.left) / track.width,
      sizePx: parseFloat(getComputedStyle(line).fontSize),
    };
  }, language);
}

/** Returns the scroll position of a language's block, and the visible words. */
function view(page: Page, language: string) {
  return page.evaluate((lang) => {
    const root = document.querySelector('voice-captions')!.shadowRoot!;
    const block = root.querySelector(`.caption[lang=${lang}]`)!.closest('.lines')!;
    const { top, bottom } = block.getBoundingClientRect();
    const words: string[] = [];
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      for (const { index, 0: word } of (text as Text).data.matchAll(/\S+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const box = range.getBoundingClientRect();
        const middle = (box.top + box.bottom) / 2;
        if (middle > top && middle < bottom) words.push(word);
      }
    }
    return { words: words.join(' '), isAtEnd: Math.abs(block.scrollTop) < 1 };
  }, language);
}

describe('on a wide screen', () => {
  it('captions use the width, with readable lines in a growing font', async () => {
    const page = await open('/one', 390);
    const sizes = [(await fullestLine(page, 'es')).sizePx];
    for (const width of [1280, 1920, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const target = await fullestLine(page, 'es');
      expect(target.letters).toBeGreaterThan(48);
      expect(target.letters).toBeLessThanOrEqual(70);
      expect(target.share).toBeGreaterThan(0.8);
      const source = await fullestLine(page, 'en');
      expect(source.letters).toBeLessThanOrEqual(75);
      expect(source.share).toBeGreaterThan(0.66);
      sizes.push(target.sizePx);
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(sizes[2]!).toBeGreaterThan(1.3 * sizes[1]!);
  });

  it('two languages are side by side, each with lines of a sensible length', async () => {
    const page = await open('/two', 1920);
    const tops = await page.evaluate(() =>
      [...document.querySelector('voice-captions')!.shadowRoot!.querySelectorAll('.target')].map(
        (track) => track.getBoundingClientRect().top,
      ),
    );
    expect(tops[0]).toBe(tops[1]);
    for (const language of ['es', 'fr']) {
      const { letters, share } = await fullestLine(page, language);
      expect(letters).toBeGreaterThan(36);
      expect(share).toBeGreaterThan(0.8);
    }
  });
});

describe('on a phone with a large font', () => {
  it('a block without overflow neither scrolls nor takes the focus', async () => {
    const page = await bench.openAgain('/one');
    await receive(page, captionUpdate('es', { concluded: 'Hola.' }));
    expect(await page.locator('voice-captions .lines[tabindex]').count()).toBe(0);
  });

  it('more than two lines are shown, and concluded text can be scrolled back to, and stays there during new words', async () => {
    const page = await open('/large', 390);
    expect((await view(page, 'es')).words.length).toBeGreaterThan(40);
    await page.clock.install();
    const tentative = 'Y ahora seguimos con lo que viene después de todo aquello, que no es poco.';
    await receive(page, captionUpdate('es', { tentative }));
    await page.clock.runFor(300);
    const end = await view(page, 'es');
    expect(end).toEqual({ isAtEnd: true, words: expect.stringMatching(/es poco\.$/) as string });
    // By keyboard: a scrollable block can have the focus.
    await page.locator('voice-captions .target .lines').focus();
    await page.keyboard.press('Home');
    await expect.poll(async () => (await view(page, 'es')).words).toMatch(/^Nos reunimos hoy/);
    const before = await view(page, 'es');
    await receive(page, captionUpdate('es', { concluded: `${tentative} ${LONG.es}` }));
    expect(await view(page, 'es')).toEqual(before);
    await page.clock.runFor(15_100);
    await receive(page, captionUpdate('es', { concluded: 'Fin.' }));
    const back = await view(page, 'es');
    expect(back).toEqual({ isAtEnd: true, words: expect.stringMatching(/Fin\.$/) as string });
  });
});

it('the reading pages report no errors', () => {
  expect(bench.pageErrors).toEqual([]);
  expect(bench.gateway.violations).toEqual([]);
});
