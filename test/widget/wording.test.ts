/** Interface texts of the element: they fit the audio source, and keep their own direction. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mergeLabels, sourceKind } from '../../widget/labels.ts';
import { elementPage, startBench, statusText, waitForState, type WidgetBench } from './browser.ts';

let bench: WidgetBench;

beforeAll(async () => {
  const arabic = elementPage('target-languages="ar" speech="ar"');
  bench = await startBench({
    pages: {
      '/arabic': arabic.replace('<html lang="en">', '<html lang="ar" dir="rtl">'),
      '/none': elementPage('target-languages="es" source="none"'),
    },
  });
});
afterAll(() => bench.close());

describe('interface texts', () => {
  it.each([
    ['stream', []],
    ['file', ['quiet', 'no-microphone']],
    ['none', ['quiet', 'no-microphone', 'insecure-context']],
  ] as const)('of a %s do not mention a microphone', (source, unreached) => {
    const { states, empty } = mergeLabels({}, source);
    const said = Object.entries(states)
      .filter(
        ([state]) => !['requesting-microphone', 'microphone-denied', ...unreached].includes(state),
      )
      .map(([, { title, hint }]) => `${title}: ${hint}`);
    expect(said.length).toBeGreaterThan(7);
    expect(
      [empty, ...said].filter((words) => /microphone|you speak|speak at/i.test(words)),
    ).toEqual([]);
  });

  it('of the page override those of the source', () => {
    const labels = mergeLabels({ empty: 'Aquí', states: { idle: { hint: 'Listo.' } } }, 'none');
    expect([labels.empty, labels.states.idle.hint]).toEqual(['Aquí', 'Listo.']);
    expect(labels.states.live.title).toBe('Live');
    expect(sourceKind(new Blob())).toBe('file');
  });

  it('without a source say so from the start to the end', async () => {
    const page = await bench.openAgain('/none');
    const empty = page.locator('voice-captions .empty');
    const said = [await statusText(page), await empty.innerText()];
    await page.evaluate(() => document.querySelector('voice-captions')!.start());
    await waitForState(page, 'live');
    said.push(await statusText(page));
    await page.evaluate(() => document.querySelector('voice-captions')!.stop());
    await waitForState(page, 'ended');
    said.push(await statusText(page));
    expect(said.join('\n')).toContain('Live\n');
    expect(said.join('\n')).not.toMatch(/microphone|you speak|speak at/i);
  });

  it('in English are left-to-right on a page in Arabic', async () => {
    const page = await bench.openAgain('/arabic');
    const ends = await page.evaluate(() => {
      const root = document.querySelector('voice-captions')!.shadowRoot!;
      const texts = ['.title', '.hint', '.button.main', '.empty', '.original'];
      return texts.map((selector) => {
        const walk = document.createTreeWalker(root.querySelector(selector)!, NodeFilter.SHOW_TEXT);
        let text = walk.nextNode() as Text;
        while (text.data.trim() === '') text = walk.nextNode() as Text;
        const xOf = (index: number) => {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + 1);
          return range.getBoundingClientRect().x;
        };
        return [selector, xOf(text.data.trimEnd().length - 1) > xOf(0)];
      });
    });
    expect(ends).toEqual(ends.map(([selector]) => [selector, true]));
  });
});

it('the wording pages report no errors', () => {
  expect(bench.pageErrors).toEqual([]);
  expect(bench.gateway.violations).toEqual([]);
});
