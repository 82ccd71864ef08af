import { describe, expect, it } from 'vitest';
import { blocksOf, byList, opened, translated } from './text-support.ts';

const upper = (text: string) => text.toUpperCase();

const page = (body: string, head = '<meta charset="utf-8">', html = '<html lang="en">') =>
  `<!DOCTYPE html>${html}<head>${head}</head><body>${body}</body></html>`;

describe('the text of an HTML page', () => {
  it('is translated with its tags, including their attributes', async () => {
    const file = '<p>The <a href="x?a=1&amp;b=2" title=\'The "new" link\'>link</a> is good.</p>';
    expect(await blocksOf('html', file)).toEqual(['The <1>link</1> is good.', 'The "new" link']);
    expect((await translated('html', file, upper)).toString()).toBe(
      '<p>THE <a href="x?a=1&amp;b=2" title="THE &quot;NEW&quot; LINK">LINK</a> IS GOOD.</p>',
    );
  });

  it('omits line breaks of the file, unless they are visible', async () => {
    expect(await blocksOf('html', '<p>One\r\n      two</p>')).toEqual(['One two']);
    expect(await blocksOf('html', '<pre>One\n  two</pre>')).toEqual(['One\n  two']);
  });

  it('includes buttons, hints and summaries', async () => {
    const file = page(
      '<input type=submit value=Send><input type="text" value="keep" placeholder="Name"><button value="keep" aria-label="Close">x</button><area alt="A place"><option label="Choice">',
      '<meta name="Description" content="About it"><meta property="og:title" content="The page"><meta name="viewport" content="width=device-width"><title>Title</title>',
    );
    const blocks = await blocksOf('html', file);
    expect(blocks.sort()).toEqual(
      ['x', 'Send', 'Name', 'Close', 'A place', 'Choice', 'About it', 'The page', 'Title'].sort(),
    );
    const result = (await translated('html', file, byList({ Send: 'Enviar "ya"' }))).toString();
    expect(result).toContain('<input type=submit value="Enviar &quot;ya&quot;">');
  });

  it('excludes frame fallbacks and ruby readings', async () => {
    const frames =
      '<frameset><frame src="a"><noframes><body title="x"><p>No <b>frames</b> &amp; such</p></body></noframes></frameset>';
    const ruby = '<p><ruby>kanji<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby> are read</p>';
    const result = await translated('html', frames + ruby, (text) => text.toUpperCase());
    expect(result.toString()).toBe(
      frames + ruby.replace('kanji', 'KANJI').replace('are read', 'ARE READ'),
    );
  });

  it('excludes untranslatable elements, including their attributes', async () => {
    const file =
      '<p translate="no" title="a">b <i title="c">d</i></p><div class="x notranslate"><img alt="e"></div><textarea placeholder="Seen">f</textarea><div translate="no" title="i">j <img alt="k"><b translate="yes" title="Seen again">Own</b></div><svg><title>g</title><a title="h"/></svg><p>Seen, too</p>';
    expect(await blocksOf('html', file)).toEqual(['Own', 'Seen, too', 'Seen', 'Seen again']);
  });
});

describe('the language of an HTML page', () => {
  it('becomes that of the translation', async () => {
    const file = page('<p lang="en-US">Hello</p><p lang="fr">Salut</p>');
    expect((await translated('html', file, upper)).toString()).toBe(
      page('<p lang="es">HELLO</p><p lang="fr">SALUT</p>', undefined, '<html lang="es">'),
    );
    const without = page('Hello', undefined, '<html class=a>');
    expect((await translated('html', without, upper)).toString()).toContain(
      '<html lang="es" class=a>',
    );
  });

  it('is declared by the page, or by its body as Word does', async () => {
    const declaredBy = async (file: string) => (await opened('html', file)).declared;
    expect(await declaredBy(page('Hello'))).toBe('en');
    expect(await declaredBy('<html><body lang=EN-US>Hello</body></html>')).toBe('en-US');
    expect(await declaredBy('<p lang="en">Hello</p>')).toBeUndefined();
  });

  it('becomes that of its metadata', async () => {
    const head = (language: string, locale: string) =>
      `<meta http-equiv="Content-Language" content="${language}"><meta property="og:locale" content="${locale}"><meta property="og:locale:alternate" content="en_GB"><meta name="language" content="English">`;
    const result = await translated('html', page('Hello', head('en-us', 'en_US')), upper);
    expect(result.toString()).toContain(head('es', 'es_ES'));
    const french = page('Hello', head('fr', 'fr_FR'));
    expect((await translated('html', french, upper)).toString()).toContain(head('fr', 'fr_FR'));
  });

  it('determines its direction', async () => {
    const arabic = await translated('html', page('Hello'), () => 'مرحبا', { target: 'ar' });
    expect(arabic.toString()).toContain('<html dir="rtl" lang="ar">');
    const file = page('مرحبا', undefined, '<html dir="rtl" lang="ar">');
    const english = await translated('html', file, () => 'Hello', { source: 'ar', target: 'en' });
    expect(english.toString()).toContain('<html dir="ltr" lang="en">');
  });
});

describe('the encoding of an HTML page', () => {
  it('is the declared one, with other letters written as references', async () => {
    const file = Buffer.from(page('caf\xe9 \x93a\x94', '<meta charset=iso-8859-1>'), 'latin1');
    const result = await translated('html', file, (text) => text.replace('a”', 'б”'));
    expect(result.toString('latin1')).toContain('caf\xe9 \x93&#x431;\x94');
    const japanese = page('\xa4\xb3\x8f\xb0\xa2\x8e\xb1', '<meta charset=euc-jp>');
    const same = await translated(
      'html',
      Buffer.from(japanese, 'latin1'),
      (text) => `${text}こ丄ｱ`,
    );
    expect(same.toString('latin1')).toContain('\xa4\xb3\x8f\xb0\xa2\x8e\xb1'.repeat(2));
    // Pages that declare GB 2312 may have the codes of GB 18030.
    const chinese = page('\xc4\xe3\x94\x39\xda\x33', '<meta charset=gb2312>');
    const both = await translated('html', Buffer.from(chinese, 'latin1'), (text) =>
      text.replace('你💩', '💩你'),
    );
    expect(both.toString('latin1')).toContain('\x94\x39\xda\x33\xc4\xe3');
    const russian =
      '<?xml version="1.0" encoding="koi8-r"?><html><body><p>\xed\xc9\xd2</p></body></html>';
    expect(await blocksOf('html', Buffer.from(russian, 'latin1'))).toEqual(['Мир']);
  });

  it('is declared if the page had no declaration and now needs one', async () => {
    const result = await translated('html', page('Hello', '<title>A</title>'), () => 'ñ');
    expect(result.toString()).toContain('<head><meta charset="utf-8"><title>ñ</title>');
    const xml =
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>A</title></head><body>Hello</body></html>';
    const strict = await translated('html', xml, () => 'ñ');
    expect(strict.toString()).toContain('<head><meta charset="utf-8" /><title>ñ</title>');
    const short = '<!doctype html><title>A</title>';
    for (const start of [short, `<!-- <head> --><html lang="es" data-a=">">${short}`]) {
      const added = (await translated('html', start, () => 'ñ')).toString();
      expect(added).toBe(
        start.replace('A', 'ñ').replace(/(?<=^<!doctype html>|">">)/, '<meta charset="utf-8">'),
      );
    }
    expect((await translated('html', '<p>A', () => 'ñ')).toString()).toBe('<p>ñ');
    const said = page(
      'Hello',
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">',
    );
    const ascii = await translated('html', said, () => 'ñ€');
    expect(ascii.toString('latin1')).toContain('<body>\xf1\x80</body>');
  });
});

describe('an invalid HTML page', () => {
  it('is returned unchanged', async () => {
    const files = [
      '<p title="never closed',
      '<p title=a<b>c</p></i></b>text <',
      '<'.repeat(50),
      '<a title='.repeat(50),
      '<b>'.repeat(50) + 'deep',
      `<p title="${'&amp;'.repeat(50)}x">y</p>`,
      '<p translate=no>'.repeat(50),
    ];
    for (const file of files) {
      expect((await translated('html', file, (text) => text)).toString()).toBe(file);
      await translated('html', file, (text) => `${text}x`);
    }
  });
});
