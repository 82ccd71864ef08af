/** Markup as clients send it, through every mode that is installed and back. */
import fc from '../support/suite/properties.ts';
import { expect, test } from 'vitest';
import { repairMarks } from '../../server/text/repair.ts';
import { xml } from '../text/layouts.ts';
import { isWellFormed, markup, tagsOf } from '../text/markup-samples.ts';
import { apertium } from './apertium-support.ts';

const signal = new AbortController().signal;

test(
  'stays well-formed, keeps its elements, and ignored ones byte for byte',
  { timeout: 600_000 },
  async () => {
    const engine = await apertium();
    for (const pair of engine.pairs) {
      const parts = fc.tuple(markup, markup, markup);
      const property = fc.asyncProperty(parts, async ([before, inner, after]) => {
        const kept = `<keep  q='"'>${inner}</keep>`;
        const source = `${before} Here ${kept} there ${after}`;
        const layout = xml(source, { ignoreTags: ['keep'], language: pair.source });
        const answers = await engine.translate(layout.segments, { ...pair, signal });
        const rendered = layout.render(
          layout.segments.map((segment, index) => repairMarks(segment, answers[index] ?? [])),
        );
        expect(isWellFormed(rendered), rendered).toBe(true);
        expect(tagsOf(rendered)).toEqual(tagsOf(source));
        expect(rendered).toContain(kept);
      });
      await fc.assert(property, { numRuns: 8, plugins: [fc.interruptAfterTimeLimit(20_000)] });
    }
  },
);
