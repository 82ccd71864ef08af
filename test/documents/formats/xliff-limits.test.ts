import { execFileSync } from 'node:child_process';
import fc from '../../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import { DocumentError } from '../../../server/documents/formats/format.ts';
import { xliff } from '../../../server/documents/formats/text/xliff.ts';
import { builtModule } from '../../support/suite/built-product.ts';
import { openXliff, RICH_XLIFF as RICH, same, translateXliff, version2 } from './xliff-support.ts';

describe('an invalid or hostile XLIFF file', () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from(
    { length: 9 },
    (_, at) =>
      `<!ENTITY ${'bcdefghij'.charAt(at)} "&${'abcdefghi'.charAt(at)};&${'abcdefghi'.charAt(at)};">`,
  ).join('')}]>`;
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

  it.each([
    ['a truncated file', RICH.slice(0, RICH.length / 2), /not well-formed/],
    ['an XML bomb', RICH.replace(declaration, declaration + bomb), /DOCTYPE/],
    [
      'an external entity',
      RICH.replace(
        declaration,
        `${declaration}<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>`,
      ),
      /DOCTYPE/,
    ],
    ['an entity nobody declared', RICH.replace('Hello', '&hello;'), /line 9/],
    ['another document', '<html><body>Hello</body></html>', /no XLIFF file/],
    ['another format', 'Just a text', /not well-formed/],
    ['nothing', '', /not well-formed/],
    [
      'a version to come',
      RICH.replace('version="2.1"', 'version="3.0"'),
      /XLIFF 2\.1, 2\.0 or 1\.2/,
    ],
    [
      'elements without an end of their depth',
      version2(`${'<group id="g">'.repeat(100_000)}${'</group>'.repeat(100_000)}`),
      /nested too deeply/,
    ],
    [
      'random bytes',
      Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 197) % 251)),
      /damaged/,
    ],
  ])('is refused with a reason: %s', async (_name, sent, message) => {
    const opening = openXliff(sent);
    await expect(opening).rejects.toBeInstanceOf(DocumentError);
    await expect(opening).rejects.toThrow(message);
  });

  it('never fails in any other way', async () => {
    const damage = fc.record({
      at: fc.nat(RICH.length),
      length: fc.nat(40),
      put: fc.string({ maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, length, put }) => {
        const broken = RICH.slice(0, at) + put + RICH.slice(at + length);
        const written = await translateXliff(broken, same).catch((error: unknown) => error);
        if (typeof written !== 'string') expect(written).toBeInstanceOf(DocumentError);
      }),
      { numRuns: 50, seed: 7 },
    );
  });

  it('may exceed the character limit, and is refused', async () => {
    const options = { source: 'en', target: 'es', output: 'xliff', maxCharacters: 20 } as const;
    await expect(xliff.open(Buffer.from(RICH), options)).rejects.toThrow(/more than 20 characters/);
  });
});

/** A tenth of the largest permitted file, in a tenth of its process's memory. */
const SIZE_BYTES = 1_000_000;
const HEAP_MB = 42;

describe('a large XLIFF file', () => {
  /** Runs in its own process, so that memory left by other tests does not count. */
  function measured(sources: readonly (readonly [piece: string, times: number])[]): {
    megabytes: number;
    blocks: number[];
  } {
    const program = `
      import { xliff } from ${JSON.stringify(builtModule('server/documents/formats/text/xliff.ts'))};
      async function blocksOf([piece, times]) {
        const segment = '<segment><source>' + piece.repeat(times) + '</source></segment>';
        const count = Math.floor(${SIZE_BYTES} / (segment.length + 30));
        let units = '';
        for (let at = 0; at < count; at += 1) units += '<unit id="u' + at + '">' + segment + '</unit>\\n';
        const file = Buffer.from('<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="en"><file id="f">' + units + '</file></xliff>');
        const opened = await xliff.open(file, { source: 'en', target: 'es', output: 'xliff', maxCharacters: 1e8 });
        await opened.write(opened.blocks.map(({ segment }) => [...segment, '!']), { source: 'en', target: 'es' });
        return opened.blocks.length;
      }
      const blocks = [];
      for (const source of ${JSON.stringify(sources)}) blocks.push(await blocksOf(source));
      console.log(JSON.stringify({ megabytes: process.resourceUsage().maxRSS / 1024, blocks }));`;
    const output = execFileSync(
      process.execPath,
      [
        `--max-old-space-size=${HEAP_MB}`,
        '--max-semi-space-size=16',
        '--input-type=module',
        '-e',
        program,
      ],
      { encoding: 'utf8', timeout: 240_000 },
    );
    return JSON.parse(output) as { megabytes: number; blocks: number[] };
  }

  it.each([
    ['short texts', [['Go <ph id="1"/>on', 1]]],
    [
      'long texts with many codes, with blanks and with tags that never end',
      [
        ['A word <pc id="1">or two</pc> and <ph id="2"/> so on. ', 2_000],
        [`a${' '.repeat(100_000)}`, 9],
        ['&lt;a b=&quot;', 60_000],
      ],
    ],
  ] as const)('requires less memory than its process gets: %s', (_name, sources) => {
    const { megabytes, blocks } = measured(sources);
    expect(blocks).toHaveLength(sources.length);
    expect(Math.min(...blocks)).toBeGreaterThan(0);
    // Node itself takes nearly half of that.
    expect(megabytes).toBeLessThan(140);
  });
});
