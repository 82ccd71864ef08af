import fc from '../../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import { signatureProblem } from '../../../server/documents/formats/index.ts';
import { repairMarks } from '../../../server/text/repair.ts';
import { mangled } from '../../text/segments.ts';
import {
  contentsOf,
  openXliff,
  RICH_XLIFF as RICH,
  same,
  schemaProblems,
  shouted,
  shown,
  translateBytes,
  translateXliff,
  unit,
  version1,
  version2,
} from './xliff-support.ts';

describe('XLIFF 2', () => {
  it('yields each segment with its codes as marks, and nothing untranslatable', async () => {
    const { blocks, characters } = await openXliff(RICH);
    expect(blocks.map(({ segment }) => shown(segment))).toEqual([
      'Hello <1>big & <2>blue</2></1> world.<3/> Then <4/> it ends.',
      'One<1/>two <2>three</2>',
      'But me, and <1><2/></1> word',
    ]);
    expect(characters).toBe(
      'Hello big & blue world. Then  it ends.One'.length +
        'two three'.length +
        'But me, and  word'.length,
    );
  });

  it('gets targets equal to their sources when nothing is translated, and is otherwise unchanged', async () => {
    const written = await translateXliff(RICH, same);
    const sources = contentsOf(RICH, 'source');
    expect(contentsOf(written, 'source')).toEqual(sources);
    const translatable = [sources[0], sources[2], sources[4], sources[5]];
    expect(contentsOf(written, 'target')).toEqual([...translatable, 'Hecho']);
    const withoutTargets = written
      .replaceAll(/\s*<target[^>]*>.*?<\/target>/gs, '')
      .replaceAll(/ (?:state="translated"|trgLang="es")/g, '');
    expect(withoutTargets).toBe(
      RICH.replaceAll(/<target>.*?<\/target>|<target\/>| state="initial"/g, ''),
    );
    expect(schemaProblems(RICH)).toBe('');
    expect(schemaProblems(written)).toBe('');
  });

  it('gets translations with the codes of the source', async () => {
    const written = await translateXliff(RICH, shouted);
    expect(written).toContain(
      `<target>HELLO <pc id="1" dataRefStart="d1" dataRefEnd="d2">BIG &amp; <mrk id="m1" type="term">BLUE</mrk></pc> WORLD.<ph id="3" equiv="{0}"/> THEN <cp hex="0007"/> IT ENDS.</target>`,
    );
    expect(written).toContain(
      '<target xml:space="preserve"> ONE\nTWO <sc id="4"/>THREE<ec startRef="4"/></target>',
    );
    expect(written).toContain(
      'BUT ME, AND <mrk id="1" translate="no">not this</mrk> WORD</target>',
    );
    expect(contentsOf(written, 'note')).toEqual(contentsOf(RICH, 'note'));
    expect(schemaProblems(written)).toBe('');
  });

  it('declares target language, state, and right-to-left direction', async () => {
    const file = version2(
      unit('<segment state="initial" subState="a:b"><source>One</source></segment>'),
      'srcLang="en" trgLang="fr"',
    );
    const spanish = await translateXliff(file, shouted);
    expect(spanish).toContain('srcLang="en" trgLang="es"');
    expect(spanish).toContain('<segment state="translated"><source>One</source><target>ONE');
    const arabic = await translateXliff(file, shouted, 'ar');
    expect(arabic).toContain('trgLang="ar"');
    expect(arabic).toContain('<file id="f1" trgDir="rtl">');
    const back = await translateXliff(arabic.replace('"translated"', '"initial"'), shouted, 'fr');
    expect(back).toContain('<file id="f1" trgDir="ltr">');
    for (const each of [spanish, arabic, back]) expect(schemaProblems(each)).toBe('');
    // A base language satisfies a request for its regional variant.
    const regional = await translateXliff(file, shouted, 'fr-CA');
    expect(regional).toContain('trgLang="fr"');
  });

  it.each([
    ['final', 'Alt', 'Alt'],
    ['reviewed', 'Alt', 'Alt'],
    ['translated', 'Alt', 'Alt'],
    ['initial', 'Alt', 'OLD'],
    [undefined, 'Alt', 'Alt'],
    [undefined, 'Old', 'OLD'],
    ['final', '', 'OLD'],
  ])('with state %s and target %j becomes %j', async (state, target, expected) => {
    const said = state === undefined ? '' : ` state="${state}"`;
    const file = version2(
      unit(`<segment${said}><source>Old</source><target>${target}</target></segment>`),
      'srcLang="en" trgLang="de"',
    );
    const written = await translateXliff(file, shouted, 'de');
    expect(contentsOf(written, 'target')).toEqual([expected]);
    if (expected === 'Alt') expect(written).toBe(file);
    // German does not satisfy a request for Spanish.
    expect(contentsOf(await translateXliff(file, shouted), 'target')).toEqual(['OLD']);
  });

  it('keeps the order of codes that overlap or may not be reordered', async () => {
    const source =
      'A <sc id="1"/>b <sc id="2"/>c<ec startRef="1"/> d<ec startRef="2"/> e <ph id="5" canReorder="firstNo"/>f <ph id="6" canReorder="no"/>g';
    const file = version2(unit(`<segment><source>${source}</source></segment>`));
    const swapped = await translateXliff(file, (segment) => {
      const lone = segment.filter((part) => typeof part !== 'string' && part.mark === 'lone');
      return segment.map((part) => (lone.includes(part) ? (lone.pop() ?? part) : part));
    });
    const codes = (xml = '') => xml.match(/<[^>]+>/g);
    const [target] = contentsOf(swapped, 'target');
    expect(codes(target)).toEqual(codes(source));
  });

  it('has placeholders and escaped tags treated as codes, and CDATA as text', async () => {
    const file = version2(
      [
        'Delete {0} of %1$s files?',
        'Click &lt;a href=&quot;https://example.org/a?b=1&amp;amp;c=2&quot;&gt;here&lt;/a&gt; now&lt;br/&gt;please',
        '<![CDATA[Some <i>text</i> & more]]>',
        'a &lt; b and c &gt; d&#160;e',
        '<ph id="1"/> {n, select, a {one} other {<ph id="2"/> of {x}}}',
      ]
        .map((source) => unit(`<segment><source>${source}</source></segment>`))
        .join('\n'),
    );
    const { blocks } = await openXliff(file);
    expect(blocks.map(({ segment }) => shown(segment))).toEqual([
      'Delete <1/> of <2/> files?',
      'Click <1>here</1> now<2/>please',
      'Some <1>text</1> & more',
      'a < b and c > d\u00a0e',
      // The word of a branch is no placeholder.
      '<1/> {n, select, a {one} other {<2/> of <3/>}}',
    ]);
    expect(contentsOf(await translateXliff(file, shouted), 'target')).toEqual([
      'DELETE {0} OF %1$s FILES?',
      'CLICK &lt;a href=&quot;https://example.org/a?b=1&amp;amp;c=2&quot;&gt;HERE&lt;/a&gt; NOW&lt;br/&gt;PLEASE',
      'SOME &lt;i>TEXT&lt;/i> &amp; MORE',
      'A &lt; B AND C &gt; D&#160;E',
      '<ph id="1"/> {N, SELECT, A {ONE} OTHER {<ph id="2"/> OF {x}}}',
    ]);
    expect(contentsOf(await translateXliff(file, same), 'target')).toEqual(
      contentsOf(file, 'source'),
    );
  });

  it('keeps data of other programs: matches, metadata, skeletons', async () => {
    const file = version2(
      unit(`<mtc:matches xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"><mtc:match ref="#s1"><source>Hello</source><target>Hallo</target></mtc:match></mtc:matches>
<segment id="s1"><source>Hello</source></segment>`),
    );
    const written = await translateXliff(file, shouted);
    expect(contentsOf(written, 'target')).toEqual(['Hallo', 'HELLO']);
  });

  it('may have prefixed elements', async () => {
    const file = `<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en"><x:file id="f"><x:unit id="u"><x:segment><x:source>a <x:pc id="1">b</x:pc></x:source></x:segment></x:unit></x:file></x:xliff>`;
    const written = await translateXliff(file, shouted);
    expect(written).toContain(
      '</x:source><x:target>A <x:pc id="1">B</x:pc></x:target></x:segment>',
    );
    expect(schemaProblems(written)).toBe('');
  });

  it('stays valid whatever an engine does to the marks', async () => {
    const codes = fc.constantFrom(
      ...['text ', 'a &amp; b', '<ph id="ID"/>', '<pc id="ID">in</pc>', '<cp hex="0001"/>', '{0}'],
      ...['<sc id="ID"/>x<ec startRef="ID"/>', '<mrk id="ID" translate="no">N</mrk>', '&lt;b&gt;'],
    );
    const sources = fc
      .array(codes, { minLength: 1, maxLength: 7 })
      .map((parts) => parts.map((part, index) => part.replaceAll('ID', `i${index}`)).join(''));
    const cases = fc.tuple(
      fc.array(sources, { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
    );
    const written = await Promise.all(
      fc.sample(cases, { numRuns: 20, seed: 42 }).map(async ([each]) => {
        const file = version2(
          each
            .map((source, at) => unit(`<segment><source>${source}</source></segment>`, `u${at}`))
            .join('\n'),
        );
        return translateXliff(file, (segment) => {
          const [broken = segment] = fc.sample(mangled(segment), {
            numRuns: 1,
            seed: segment.length,
          });
          return repairMarks(segment, broken);
        });
      }),
    );
    for (const file of written) {
      expect(schemaProblems(file)).toBe('');
      const targets = contentsOf(file, 'target');
      contentsOf(file, 'source').forEach((source, at) => {
        const sorted = (xml = '') => (xml.match(/<[^>]+>/g) ?? []).sort();
        expect(sorted(targets[at])).toEqual(sorted(source));
      });
    }
  });
});

describe('XLIFF 1.2', () => {
  const units = `<group><trans-unit id="1" xml:space="preserve"><source>Hello <g id="1">big</g> <x id="2"/><bx id="3" rid="1"/>world<ex id="4" rid="1"/></source>
  <target state="new">Hello</target><note>n</note><alt-trans><source>Hello</source><target>Hallo</target></alt-trans></trans-unit></group>
<trans-unit id="2"><source>A <bpt id="1">&lt;b></bpt>bold<ept id="1">&lt;/b></ept> <ph id="2">%d<sub>x</sub></ph> one</source></trans-unit>
<trans-unit id="3" approved="yes"><source>Yes</source><target xml:lang="es">Sí</target></trans-unit>
<trans-unit id="4" translate="no"><source>CODE</source></trans-unit>
<trans-unit id="5"><source>One. Two.</source><seg-source><mrk mtype="seg" mid="0">One.</mrk> <g id="9"><mrk mtype="seg" mid="1">Two <mrk mtype="protected">X</mrk>.</mrk></g></seg-source></trans-unit>`;

  it('is translated too', async () => {
    const file = version1(units);
    const { blocks } = await openXliff(file);
    expect(blocks.map(({ segment }) => shown(segment))).toEqual([
      'Hello <1>big</1> <2/><3>world</3>',
      'A <1>bold</1> <2/> one',
      'One.',
      'Two <1><2/></1>.',
    ]);
    const written = await translateXliff(file, shouted);
    expect(written).toContain('source-language="en" datatype="plaintext" target-language="es"');
    expect(written).toContain(
      '<target state="translated" state-qualifier="mt-suggestion">HELLO <g id="1">BIG</g> <x id="2"/><bx id="3" rid="1"/>WORLD<ex id="4" rid="1"/></target><note>n</note><alt-trans><source>Hello</source><target>Hallo</target>',
    );
    expect(written).toContain(
      '>A <bpt id="1">&lt;b></bpt>BOLD<ept id="1">&lt;/b></ept> <ph id="2">%d<sub>x</sub></ph> ONE</target>',
    );
    expect(written).toContain('<target xml:lang="es">Sí</target>');
    expect(written).toContain('<source>CODE</source></trans-unit>');
    expect(written).toContain(
      '</seg-source><target state="translated" state-qualifier="mt-suggestion"><mrk mtype="seg" mid="0">ONE.</mrk> <g id="9"><mrk mtype="seg" mid="1">TWO <mrk mtype="protected">X</mrk>.</mrk></g></target>',
    );
    expect(contentsOf(written, 'source')).toEqual(contentsOf(file, 'source'));
  });

  it('is translated again into another language, and loses its approval', async () => {
    const file = version1(units, 'source-language="en" target-language="es"');
    const written = await translateXliff(file, shouted, 'de');
    expect(written).toContain(
      '<trans-unit id="3" approved="no"><source>Yes</source><target xml:lang="de" ',
    );
    expect(written).toContain('target-language="de"');
  });

  it('keeps the segments that are translated in a target that lacks others', async () => {
    const segmented = (...texts: string[]) =>
      texts.map((text, mid) => `<mrk mtype="seg" mid="${mid}">${text}</mrk>`).join(' <x id="9"/>');
    const file = (target: string, approval = '') =>
      version1(
        `<trans-unit id="1"${approval}><source>One. Two. Three.</source><seg-source>${segmented(
          'One.',
          'Two.',
          'Three.',
          '4.',
        )}</seg-source><target>${target}</target></trans-unit>`,
        'source-language="en" target-language="es"',
      );
    const partial = file(segmented('', '<g id="1">Dos</g>.', 'Three.', ''));
    expect(contentsOf(await translateXliff(partial, shouted), 'target')).toEqual([
      segmented('ONE.', '<g id="1">Dos</g>.', 'THREE.', '4.'),
    ]);
    for (const done of [
      file(segmented('Uno.', 'Dos.', 'Tres.', '')),
      file(segmented('', 'Dos.', 'Tres.', ''), ' approved="yes"'),
    ]) {
      expect(await translateXliff(done, shouted)).toBe(done);
    }
  });

  it('keeps segments that Trados, memoQ or Phrase has locked', async () => {
    const marked = (one: string, two: string) =>
      `<mrk mtype="seg" mid="1">${one}</mrk> <mrk mtype="seg" mid="2">${two}</mrk>`;
    const trados = (target: string, locked: readonly number[]) =>
      version1(
        `<trans-unit id="1"><source>One. Two.</source><seg-source>${marked('One.', 'Two.')}</seg-source><target>${target}</target><sdl:seg-defs xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0">${locked.map((id) => `<sdl:seg id="${id}" locked="true"/>`).join('')}</sdl:seg-defs></trans-unit>`,
      );
    const one = await translateXliff(trados(marked('One.', 'Two.'), [1]), shouted);
    expect(contentsOf(one, 'target')).toEqual([marked('One.', 'TWO.')]);
    const mixed = await translateXliff(trados(marked('', 'Dos.'), [2]), shouted);
    expect(contentsOf(mixed, 'target')).toEqual([marked('ONE.', 'Dos.')]);
    const other = '<mrk mtype="seg" mid="2"></mrk>';
    for (const target of ['', other]) {
      const lone = await translateXliff(trados(target, [1]), shouted);
      expect(contentsOf(lone, 'target')).toEqual([marked('', 'TWO.')]);
    }
    const both = await translateXliff(trados(marked('One.', 'Two.'), [1, 2]), shouted);
    expect(contentsOf(both, 'target')).toEqual([marked('One.', 'Two.')]);
    for (const lock of ['xmlns:mq="MQXliff" mq:locked="locked"', 'xmlns:m="m" m:locked="true"']) {
      const unit = `<trans-unit id="1" ${lock}><source>Yes</source><target/></trans-unit>`;
      expect(await translateXliff(version1(unit), shouted)).toContain(unit);
    }
  });

  it('keeps values of attributes that look like attributes', async () => {
    const unit = (target: string) =>
      `<trans-unit id="1" resname="is approved='yes'"><source>Yes</source>${target}</trans-unit>`;
    const target = (state: string, text: string) =>
      `<target ts='a state="x"' ${state}>${text}</target>`;
    const written = await translateXliff(version1(unit(target('state="new"', 'Yes'))), shouted);
    const mended = 'state="translated" state-qualifier="mt-suggestion"';
    expect(written).toContain(unit(target(mended, 'YES')));
  });
});

describe('the bytes of an XLIFF file', () => {
  const file = (encoding: string) =>
    version2(unit('<segment><source>Größe für Łódź</source></segment>')).replace('UTF-8', encoding);
  const bytes = {
    'utf-8 with a mark': Buffer.from(`\ufeff${file('utf-8')}`),
    'utf-16 little': Buffer.from(`\ufeff${file('UTF-16')}`, 'utf16le'),
    'utf-16 big': Buffer.from(`\ufeff${file('UTF-16')}`, 'utf16le').swap16(),
    'utf-16 little without a mark': Buffer.from(file('UTF-16'), 'utf16le'),
    'utf-16 big without a mark': Buffer.from(file('UTF-16'), 'utf16le').swap16(),
    'iso-8859-1': Buffer.from(file('ISO-8859-1').replace('Łódź', '&#321;ódz'), 'latin1'),
  };

  it.each(Object.entries(bytes))('keep their encoding: %s', async (_name, sent) => {
    expect(signatureProblem('xliff', sent)).toBe(undefined);
    const written = await translateBytes(sent, (segment) => [...segment, ' — “€”']);
    expect(schemaProblems(written)).toBe('');
    expect(written.subarray(0, 3)).toEqual(sent.subarray(0, 3));
    const isLatin = sent.includes('ISO-8859-1');
    if (isLatin)
      expect(written.toString('latin1')).toContain(
        'Größe für &#321;ódz &#8212; &#8220;&#8364;&#8221;</target>',
      );
    expect((await translateBytes(written, same)).equals(written)).toBe(true);
  });

  it.each([
    ['another encoding than it says', Buffer.from(file('utf-8'), 'latin1')],
    ['an encoding nobody knows', Buffer.from(file('x-unheard-of'))],
  ])('are refused in %s', async (_name, sent) => {
    await expect(openXliff(sent)).rejects.toThrow(/Save it as UTF-8/);
  });
});
