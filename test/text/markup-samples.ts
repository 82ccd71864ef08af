/** Random markup, and checks of the results. */
import fc from '../support/suite/properties.ts';
import { SaxesParser } from 'saxes';

/** Words, blanks, references and placeholders. */
export const text = fc.constantFrom(
  'One two. ',
  'three',
  ' ',
  '\n  ',
  '\r\n',
  '&amp;',
  '&#x1f600;',
  '&own;',
  '&nbsp;',
  '{name}',
  'https://a.b/?c=1&amp;d',
  '> ',
  'Dr. Who? ',
  '你好。',
  '😀',
);
/** Constructs other than text and elements around text. */
export const between = fc.constantFrom(
  '<!-- - > -->',
  '<?p i>?>',
  '<![CDATA[<x> & two ]]>',
  '<z/>',
  "<y a='>' b=\"'\"\n/>",
);
const names = ['a', 'b', 'p', 'p2', 'div', 'x', 'é:ü'];

/** Well-formed fragments. */
export const markup: fc.Arbitrary<string> = fc.letrec<{ node: string; inner: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    text,
    between,
    fc
      .tuple(
        fc.constantFrom(...names),
        fc.constantFrom('', ' q="1 &lt; 2"', "\tq='>'"),
        tie('inner'),
      )
      .map(([name, attributes, inner]) => `<${name}${attributes}>${inner}</${name} >`),
  ),
  inner: fc.array(tie('node'), { maxLength: 5 }).map((nodes) => nodes.join('')),
})).inner;

/** Returns whether a strict parser accepts a fragment. */
export function isWellFormed(source: string): boolean {
  const parser = new SaxesParser({ fragment: true });
  parser.ENTITIES['own'] = parser.ENTITIES['nbsp'] = '';
  let isSound = true;
  parser.on('error', () => (isSound = false));
  try {
    parser.write(source).close();
  } catch {
    // The parser throws on half a surrogate pair.
    return false;
  }
  return isSound;
}

/** Returns tags, comments, CDATA delimiters and the like, sorted. */
export function tagsOf(source: string): string[] {
  return (
    source.match(/<!--.*?-->|<!\[CDATA\[|\]\]>|<\?.*?\?>|<(?:"[^"]*"|'[^']*'|[^'">])*>/gs) ?? []
  ).sort();
}
