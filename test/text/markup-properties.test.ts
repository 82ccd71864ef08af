/** Properties of markup layouts that hold for every text and every engine. */
import fc, { codePoint } from '../support/suite/properties.ts';
import { expect, it } from 'vitest';
import { ServiceError } from '../../shared/errors.ts';
import type {
  MarkupOptions,
  SentenceSplitting,
  TextLayout,
} from '../../server/text/markup/text-layout.ts';
import { repairMarks } from '../../server/text/repair.ts';
import { html, rendered, repeat, segmentsOf, xml } from './layouts.ts';
import { between, isWellFormed, markup, tagsOf, text } from './markup-samples.ts';
import { mangled } from './segments.ts';

const options: fc.Arbitrary<Partial<MarkupOptions>> = fc.record({
  version: fc.constantFrom('v1', 'v2'),
  splitting: fc.constantFrom<SentenceSplitting>('lines-and-sentences', 'sentences', 'none'),
  outlineDetection: fc.boolean(),
  splittingTags: fc.subarray(['p', 'a']),
  nonSplittingTags: fc.subarray(['p', 'div']),
  ignoreTags: fc.subarray(['b', 'x']),
});

const soup = fc
  .array(
    fc.oneof(
      text,
      between,
      fc.constantFrom(
        '<',
        '</',
        '<a',
        '<b>',
        '</b>',
        '<p>',
        '</p>',
        '<li>',
        '<td>',
        '<script>',
        '</script>',
      ),
      fc.constantFrom(
        '<!',
        '<!--',
        '-->',
        '<?',
        ']]>',
        '&',
        '&lt',
        '&#',
        '<![CDATA[',
        '<!DOCTYPE html>',
        '</>',
      ),
      fc.constantFrom(
        '<div translate=no>',
        '</div>',
        '<textarea>',
        '<title>',
        '"',
        "'",
        '=',
        '\0',
        '\ud800',
      ),
      fc.string({ unit: codePoint, maxLength: 4 }),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''));

/** Renders the layout from the repaired answers of a careless engine. */
function mangledRender(layout: TextLayout): fc.Arbitrary<string> {
  const answers = layout.segments.map((segment) =>
    mangled(segment).map((answer) => repairMarks(segment, answer)),
  );
  return fc.tuple(...answers).map((translated) => rendered(layout, translated));
}

it('returns well-formed XML byte for byte when nothing is translated', () => {
  fc.assert(
    fc.property(markup, options, (source, chosen) => {
      expect(repeat(xml(source, chosen))).toBe(source);
    }),
    { numRuns: 200 },
  );
});

it('renders well-formed XML with every source tag once, whatever an engine answers', () => {
  const cases = fc
    .tuple(markup, options)
    .chain(([source, chosen]) =>
      fc.tuple(fc.constant(source), mangledRender(xml(source, { ...chosen, version: 'v2' }))),
    );
  fc.assert(
    fc.property(cases, ([source, rendered]) => {
      expect(isWellFormed(rendered)).toBe(true);
      expect(tagsOf(rendered)).toEqual(tagsOf(source));
    }),
    { numRuns: 200 },
  );
});

it('keeps ignored elements byte for byte, whatever an engine answers', () => {
  const cases = fc.tuple(markup, markup, markup).chain(([before, inner, after]) => {
    const kept = `<keep  q='"'>${inner}</keep>`;
    const layout = xml(`${before} Here ${kept} there ${after}`, { ignoreTags: ['keep'] });
    return fc.tuple(fc.constant(kept), mangledRender(layout));
  });
  fc.assert(
    fc.property(cases, ([kept, rendered]) => {
      expect(rendered).toContain(kept);
    }),
  );
});

it('accepts exactly the fragments that a strict parser accepts', () => {
  fc.assert(
    fc.property(fc.oneof(soup, markup), (source) => {
      fc.pre(!source.includes('<!DOCTYPE') && !source.startsWith('<?xml'));
      let isTaken = true;
      try {
        xml(source);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
        isTaken = false;
      }
      expect(isTaken).toBe(isWellFormed(source));
    }),
    { numRuns: 500 },
  );
});

it('returns any HTML and any version 1 XML byte for byte when nothing is translated', () => {
  fc.assert(
    fc.property(fc.oneof(soup, markup), options, (source, chosen) => {
      expect(repeat(html(source, chosen))).toBe(source);
      expect(repeat(xml(source, { ...chosen, version: 'v1' }))).toBe(source);
    }),
    { numRuns: 500 },
  );
});

it('loses no HTML tag, whatever an engine answers', () => {
  const cases = fc
    .tuple(markup, options)
    .chain(([source, chosen]) =>
      fc.tuple(fc.constant(source), mangledRender(html(source, chosen))),
    );
  fc.assert(
    fc.property(cases, ([source, rendered]) => {
      // In HTML, `<é` is text and `<?` ends at its first `>`.
      fc.pre(!source.includes('<é') && !source.includes('<?'));
      expect(tagsOf(rendered)).toEqual(tagsOf(source));
    }),
    { numRuns: 150 },
  );
});

it('reads markup alike wherever the parts end that a parser gets at a time', () => {
  const sample =
    '<p class="a notranslate" id="b">&amp;&nbsp;&#x1f600;😀</p>\r\n<br/>One. &lt;Two<!-- c > --> <b t="&gt;">three</b ><?d e?>&eacute;';
  const layouts = [html, (text: string) => xml(text, { version: 'v1' }), xml];
  for (const layOut of layouts) {
    const alone = segmentsOf(layOut(`<i>${sample}</i>`));
    for (let before = 4_096 - sample.length - 8; before < 4_096; before += 1) {
      const padded = layOut(`<i>${' '.repeat(before)}${sample}</i>`);
      expect(segmentsOf(padded), String(before)).toEqual(alone);
    }
  }
});
