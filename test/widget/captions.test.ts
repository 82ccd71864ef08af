import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { lively } from '../support/machine/chromium.ts';
import {
  captionUpdate,
  elementPage,
  longCaption,
  pressStart,
  receive,
  recordStates,
  sliversOfLines,
  startBench,
  waitForState,
  type WidgetBench,
} from './browser.ts';

let bench: WidgetBench;
let shared: Page | undefined;

beforeAll(async () => {
  bench = await startBench({
    pages: {
      '/page': elementPage('source-language="en" target-languages="es ar"'),
      '/off': elementPage('target-languages="es" announce="off"'),
      '/french': elementPage('target-languages="es fr" announce="fr"'),
      '/one': elementPage('target-languages="es fr" language="fr" lines="3"'),
      '/hidden': elementPage('target-languages="es" hide-source'),
    },
  });
});
afterAll(() => bench.close());

/** One page for all tests that leave only captions behind. */
async function freshPage(): Promise<Page> {
  shared ??= await bench.open('/page', lively);
  await shared.evaluate(async () => {
    const captions = document.querySelector('voice-captions')!;
    captions.clear();
    await captions.updateComplete;
  });
  return shared;
}

const words = {
  en: 'We meet here today to see how far plain words can go when many people read them at the same time. ',
  es: 'Nos reunimos hoy aquí para ver hasta dónde llegan las palabras sencillas cuando las leen muchos a la vez. ',
  ar: 'نجتمع هنا اليوم لنرى إلى أي مدى يمكن للكلمات البسيطة أن تصل عندما يقرؤها كثير من الناس في الوقت نفسه. ',
};
type Language = keyof typeof words;

/** Returns the positions of all visible words of a language, in spoken order. */
async function wordPositions(page: Page, language: string): Promise<{ word: string; x: number }[]> {
  return page.evaluate((lang) => {
    const root = document.querySelector('voice-captions')!.shadowRoot!;
    const found: { word: string; x: number }[] = [];
    for (const line of root.querySelectorAll(`.caption[lang="${lang}"]`)) {
      const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        for (const { index, 0: word } of (text as Text).data.matchAll(/\S+/g)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          found.push({ word, x: range.getBoundingClientRect().x });
        }
      }
    }
    return found;
  }, language);
}

/**
 * Grows a text word by word: each update concludes the word three before the last and shows the last three
 * as tentative. Counts words that moved sideways.
 */
async function countMoves(
  page: Page,
  language: Language,
  times = 2,
): Promise<{ moves: number; seen: number }> {
  const spoken = words[language].repeat(times).match(/\S+\s*/g)!;
  let before: { word: string; x: number }[] = [];
  let moves = 0;
  let seen = 0;
  for (let upTo = 3; upTo <= spoken.length; upTo++) {
    const concluded = spoken[upTo - 3]!;
    const tentative = spoken.slice(upTo - 2, upTo).join('');
    await receive(page, captionUpdate(language, { concluded, tentative }));
    const now = await wordPositions(page, language);
    // A line that leaves the page takes its words along: the comparison continues with the remaining words.
    const gone = Math.max(0, before.length + 1 - now.length);
    for (const [index, { word, x }] of now.slice(0, -1).entries()) {
      const earlier = before[index + gone];
      if (earlier?.word !== word) continue;
      seen++;
      if (Math.abs(earlier.x - x) > 0.1) moves++;
    }
    before = now;
  }
  return { moves, seen };
}

describe('captions', () => {
  it.each(['en', 'ar'] as const)('do not move a word sideways as %s grows', async (lang) => {
    const page = await freshPage();
    const { moves, seen } = await countMoves(page, lang);
    expect(seen).toBeGreaterThan(150);
    expect(moves).toBe(0);
  });

  it('would move if they were centred, which this test notices', async () => {
    const page = await freshPage();
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('voice-captions::part(lines) { text-align: center }');
      document.adoptedStyleSheets.push(sheet);
    });
    expect((await countMoves(page, 'es', 1)).moves).toBeGreaterThan(5);
    await page.evaluate(() => document.adoptedStyleSheets.pop());
  });

  it('keep their height from before the first word', async () => {
    const page = await bench.openAgain('/page');
    const usual = page.viewportSize()!;
    await page.setViewportSize({ width: 390, height: 844 });
    const heights = () =>
      page.evaluate(() => {
        const captions = document.querySelector('voice-captions')!;
        const blocks = [...captions.shadowRoot!.querySelectorAll('.lines')];
        return [captions, ...blocks].map((each) => each.getBoundingClientRect().height);
      });
    const before = await heights();
    expect(before).toHaveLength(4);
    // On a phone, all buttons are in one row, and the captions have the room of another.
    await page.setViewportSize({ width: 360, height: 740 });
    const rows = await page
      .locator('voice-captions .button')
      .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().bottom)));
    expect(Math.max(...rows) - Math.min(...rows)).toBeLessThan(8);
    await page.setViewportSize({ width: 390, height: 844 });
    for (let round = 0; round < 2; round++) {
      for (const language of ['en', 'es', 'ar'] as const) {
        await receive(page, captionUpdate(language, { concluded: words[language] }));
        await receive(page, captionUpdate(language, { tentative: words[language] }));
      }
      expect(await heights()).toEqual(before);
    }
    bench.gateway.refusal = {
      status: 403,
      message: 'Your account may not start captions today. Please ask the people of the desk.',
    };
    const states = await recordStates(page);
    await pressStart(page);
    await waitForState(page, 'failed');
    expect(await heights()).toEqual(before);
    bench.gateway.refusal = undefined;
    await pressStart(page);
    await waitForState(page, 'live');
    expect(await heights()).toEqual(before);
    await page.context().setOffline(true);
    bench.gateway.sessions.at(-1)!.drop();
    await waitForState(page, 'offline');
    expect(await heights()).toEqual(before);
    await page.getByRole('button', { name: 'Stop' }).click();
    await waitForState(page, 'ended');
    expect(await heights()).toEqual(before);
    expect(await states()).toContain('connecting');
    await page.context().setOffline(false);
    await page.setViewportSize(usual);
  });

  it('fill blocks of whole lines at every font size', async () => {
    const page = await freshPage();
    const slivers = await page.evaluate(sliversOfLines, longCaption('es'));
    expect(Math.max(...slivers), JSON.stringify(slivers)).toBeLessThan(0.1);
  });

  it('show the latest words at the bottom of the block', async () => {
    const page = await freshPage();
    await receive(page, captionUpdate('es', { concluded: words.es.repeat(4) + 'Fin' }));
    const gap = await page.evaluate(() => {
      const block = document
        .querySelector('voice-captions')!
        .shadowRoot!.querySelector('.track.target .lines')!;
      const last = [...block.querySelectorAll('.caption')].at(-1)!;
      return block.getBoundingClientRect().bottom - last.getBoundingClientRect().bottom;
    });
    expect(Math.abs(gap)).toBeLessThan(1);
  });

  it('declare the language and direction of each line', async () => {
    const page = await freshPage();
    for (const language of ['en', 'es', 'ar'] as const) {
      await receive(page, captionUpdate(language, { concluded: words[language] }));
    }
    const lines = await page.evaluate(() =>
      [...document.querySelector('voice-captions')!.shadowRoot!.querySelectorAll('.caption')].map(
        (line) => [line.getAttribute('lang'), getComputedStyle(line).direction],
      ),
    );
    expect(lines).toEqual([
      ['en', 'ltr'],
      ['es', 'ltr'],
      ['ar', 'rtl'],
    ]);
  });

  it('show tentative text at most five times a second and concluded text at once', async () => {
    const page = await freshPage();
    const seen = await page.evaluate(async (text) => {
      const captions = document.querySelector('voice-captions')!;
      const block = captions.shadowRoot!.querySelector('.track.source .flow')!;
      const shown = new Set<string>();
      const watch = new MutationObserver(() => shown.add(block.textContent));
      watch.observe(block, { subtree: true, childList: true, characterData: true });
      const send = (tentative: string, concluded: string) => {
        const segment = (words: string) =>
          words === '' ? [] : [{ text: words, language: 'en', start_time: 0, end_time: 0 }];
        captions.receive({
          source_transcript_update: {
            concluded: segment(concluded),
            tentative: segment(tentative),
          },
        });
      };
      const start = performance.now();
      for (let length = 1; performance.now() - start < 1_000; length++) {
        send(text.slice(0, length), '');
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      const tentativeRenders = shown.size;
      const elapsedMs = performance.now() - start;
      send('', text);
      await captions.updateComplete;
      return { tentativeRenders, elapsedMs, text: block.textContent.trim() };
    }, words.en);
    expect(seen.tentativeRenders).toBeGreaterThanOrEqual(2);
    expect(seen.tentativeRenders).toBeLessThanOrEqual(1 + seen.elapsedMs / 200);
    expect(seen.text).toBe(words.en.trim());
  });

  it('mark tentative text by colour and a dotted line only', async () => {
    const page = await freshPage();
    await receive(page, captionUpdate('es', { concluded: 'Nos reunimos', tentative: ' hoy aquí' }));
    await page.waitForFunction(
      () =>
        document.querySelector('voice-captions')!.shadowRoot!.querySelector('.tentative') !== null,
    );
    const styles = await page.evaluate(() => {
      const root = document.querySelector('voice-captions')!.shadowRoot!;
      return ['[part=concluded]', '[part=tentative]'].map((part) => {
        const { color, font, letterSpacing, textDecorationStyle, textDecorationLine } =
          getComputedStyle(root.querySelector(`.target ${part}`)!);
        return { color, font, letterSpacing, textDecorationStyle, textDecorationLine };
      });
    });
    const [concluded, tentative] = styles;
    expect(tentative!.color).not.toBe(concluded!.color);
    expect(tentative).toMatchObject({
      font: concluded!.font,
      letterSpacing: concluded!.letterSpacing,
      textDecorationStyle: 'dotted',
      textDecorationLine: 'underline',
    });
  });

  it('show one language, hide the source and show more lines on request', async () => {
    const tracks = (page: Page) =>
      page.evaluate(() =>
        [...document.querySelector('voice-captions')!.shadowRoot!.querySelectorAll('.track')].map(
          (track) => track.getAttribute('aria-label'),
        ),
      );
    const one = await bench.openAgain('/one');
    expect(await tracks(one)).toEqual(['Français']);
    const lines = await one.evaluate(() => {
      const block = document.querySelector('voice-captions')!.shadowRoot!.querySelector('.lines')!;
      const { height, lineHeight } = getComputedStyle(block);
      return parseFloat(height) / parseFloat(lineHeight);
    });
    expect(lines).toBeCloseTo(3, 1);
    const hidden = await bench.openAgain('/hidden');
    expect(await tracks(hidden)).toEqual(['Español']);
  });

  it('return to their defaults when an attribute is removed', async () => {
    const page = await freshPage();
    const kinds = await page.evaluate(async () => {
      const captions = document.querySelector('voice-captions')!;
      const before = captions.getAttribute('target-languages')!;
      captions.setAttribute('language', 'es');
      captions.setAttribute('speech', 'es');
      captions.setAttribute('font-scale', '2');
      await captions.updateComplete;
      for (const name of [
        'language',
        'speech',
        'font-scale',
        'source',
        'device-id',
        'target-languages',
      ])
        captions.removeAttribute(name);
      (captions as { sourceLanguage: unknown }).sourceLanguage = undefined;
      await captions.updateComplete;
      const { language, speech, fontScale, source, deviceId, sourceLanguage, targetLanguages } =
        captions;
      const tracks = captions.shadowRoot!.querySelectorAll('.track').length;
      captions.targetLanguages = before;
      await captions.updateComplete;
      return {
        ...{ language, speech, fontScale, source, deviceId, sourceLanguage, targetLanguages },
        tracks,
      };
    });
    expect(kinds).toEqual({
      ...{ language: '', speech: '', fontScale: 1, source: 'microphone', deviceId: '' },
      ...{ sourceLanguage: 'en', targetLanguages: '', tracks: 1 },
    });
  });

  it('are named in any spelling of a language, even one that is none', async () => {
    const page = await freshPage();
    const names = await page.evaluate(async () => {
      const captions = document.createElement('voice-captions');
      captions.targetLanguages = 'es-mx pt_BR kein_Wort';
      document.body.append(captions);
      await captions.updateComplete;
      const tracks = captions.shadowRoot!.querySelectorAll('.track.target');
      captions.remove();
      return [...tracks].map(({ ariaLabel }) => ariaLabel);
    });
    expect(names).toEqual(['Español (México)', 'Português (Brasil)', 'kein_Wort']);
  });

  it('provide a transcript of each language and can be cleared', async () => {
    const page = await freshPage();
    // A caption is in the transcript when its event fires.
    await page.evaluate(() => {
      const captions = document.querySelector('voice-captions')!;
      const note = () => (captions.dataset['heard'] = captions.transcript('en'));
      captions.addEventListener('vc-caption', note, { once: true });
    });
    await receive(
      page,
      captionUpdate('en', { concluded: 'One. Two.' }),
      captionUpdate('es', { concluded: 'Uno. Dos.' }),
    );
    const read = () =>
      page.evaluate(() => {
        const captions = document.querySelector('voice-captions')!;
        return [captions.transcript(), captions.transcript('en'), captions.transcript('ar')];
      });
    expect(await read()).toEqual(['Uno.\nDos.', 'One.\nTwo.', '']);
    expect(await page.locator('voice-captions').getAttribute('data-heard')).toBe('One.\nTwo.');
    await page.evaluate(() => {
      document.querySelector('voice-captions')!.clear();
      // Also before the first rendering.
      document.createElement('voice-captions').clear();
    });
    expect(await read()).toEqual(['', '', '']);
  });
});

describe('the live region', () => {
  const heard = (page: Page) =>
    page.evaluate(() =>
      [
        ...document.querySelector('voice-captions')!.shadowRoot!.querySelectorAll('[role=log] p'),
      ].map((line) => [(line as HTMLElement).lang, line.textContent]),
    );

  it('receives whole sentences of the first target, for twenty seconds', async () => {
    const page = await bench.openAgain('/page');
    await page.clock.install();
    await receive(
      page,
      captionUpdate('es', { tentative: 'Uno.' }),
      captionUpdate('en', { concluded: 'One.' }),
    );
    expect(await heard(page)).toEqual([]);
    await receive(page, captionUpdate('es', { concluded: 'Uno. Dos' }));
    expect(await heard(page)).toEqual([['es', 'Uno.']]);
    await page.clock.runFor(10_000);
    await receive(page, captionUpdate('es', { concluded: ' y tres.' }));
    expect(await heard(page)).toEqual([
      ['es', 'Uno.'],
      ['es', 'Dos y tres.'],
    ]);
    await page.clock.runFor(10_100);
    expect(await heard(page)).toEqual([['es', 'Dos y tres.']]);
    await page.clock.runFor(10_000);
    expect(await heard(page)).toEqual([]);
  });

  it('announces another language, or none, on request', async () => {
    const french = await bench.openAgain('/french');
    await receive(
      french,
      captionUpdate('es', { concluded: 'Uno.' }),
      captionUpdate('fr', { concluded: 'Un.' }),
    );
    expect(await heard(french)).toEqual([['fr', 'Un.']]);
    const off = await bench.openAgain('/off');
    await receive(
      off,
      captionUpdate('es', { concluded: 'Uno.' }),
      captionUpdate('en', { concluded: 'One.' }),
    );
    expect(await heard(off)).toEqual([]);
  });

  it('is the only place where captions are announced', async () => {
    const page = await freshPage();
    await receive(page, captionUpdate('es', { concluded: 'Uno.', tentative: ' Dos' }));
    const tentative = page.locator('voice-captions .tentative');
    await tentative.first().waitFor();
    expect(await tentative.first().getAttribute('aria-hidden')).toBe('true');
    const live = await page.evaluate(() => {
      const root = document.querySelector('voice-captions')!.shadowRoot!;
      return [...root.querySelectorAll('[aria-live], [role=status], [role=alert], [role=log]')]
        .filter((region) => region.querySelector('.caption') !== null)
        .map((region) => region.className);
    });
    expect(live).toEqual([]);
  });
});

it('the caption pages report no errors', () => {
  expect(bench.pageErrors).toEqual([]);
  expect(bench.gateway.violations).toEqual([]);
});
