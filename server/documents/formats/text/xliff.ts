/**
 * XLIFF 2.x and 1.x: each segment that has no translation yet gets one. The rest of the file stays
 * as it is, byte for byte: sources, codes, notes, and what other programs have put there.
 */
import { textDirection, type LanguageTag } from '../../../../shared/language.ts';
import { countCodePoints } from '../../../text/code-points.ts';
import { hasLetters, plainText, type TextSegment } from '../../../text/text-segment.ts';
import { checkLength, type DocumentBlock, type DocumentFormat } from '../format.ts';
import { type InlineContent, writeContent } from './xliff-inline.ts';
import {
  readUnits,
  type LanguagePlace,
  type XliffOutline,
  type XliffUnit,
  isSameLanguage,
} from './xliff-units.ts';
import { readXmlText, withAttributes, type Span } from './xml-reading.ts';

/** Files that programs exchange for translation: `.xlf`, `.xliff`. */
export const xliff: DocumentFormat = {
  async open(bytes, { target, maxCharacters }) {
    const { text: file, encode } = readXmlText(bytes);
    const outline = readUnits(file, target);
    const translatable = outline.units.flatMap(({ source }) =>
      source.contents.filter(({ segment }) => hasLetters(segment)),
    );
    return {
      characters: countCharacters(translatable, maxCharacters),
      blocks: translatable.map(({ segment }): DocumentBlock => ({ segment, kind: 'paragraph' })),
      async write(translated, languages) {
        const answers = new Map(translatable.map((content, index) => [content, translated[index]]));
        return encode(writeTargets(file, outline, { answers, languages }));
      },
    };
  },
};

function countCharacters(contents: readonly InlineContent[], maxCharacters: number): number {
  let characters = 0;
  for (const { segment } of contents) characters += countCodePoints(plainText(segment));
  checkLength(characters, maxCharacters);
  return characters;
}

// What changes in an XLIFF file when its segments are translated.

interface XliffTranslation {
  answers: ReadonlyMap<InlineContent, TextSegment | undefined>;
  languages: { source: LanguageTag; target: LanguageTag };
}

/** Prefix of the namespace that the source's name has. */
const PREFIX = /^<((?:[^\s:>/]+:)?)source/;
const SPACE = /\sxml:space\s*=\s*["'](\w+)["']/;
/** How XLIFF 1.1 and later say what a program has translated. */
const MADE_BY_PROGRAM = { state: 'translated', 'state-qualifier': 'mt-suggestion' };

/** The file with targets. */
function writeTargets(
  file: string,
  outline: XliffOutline,
  { answers, languages }: XliffTranslation,
): string {
  const parts: string[] = [];
  let at = 0;
  const replace = ({ start, end }: Span, text: string): void => {
    parts.push(file.slice(at, start), text);
    at = end;
  };
  const items = [...outline.places, ...outline.units].sort((a, b) => a.tag.start - b.tag.start);
  for (const item of items) {
    if ('isFile' in item) {
      replace(item.tag, languageTag(file, item, languages));
      continue;
    }
    replace(item.tag, unitTag(file, item, outline));
    const start = targetTag(file, item, { outline, language: languages.target });
    const content = targetContent(file, item.source, answers);
    const end = `</${prefixOf(file, item)}target>`;
    const { source, target } = item;
    if (target === undefined) replace({ start: source.end, end: source.end }, source.gap);
    replace({ start: target?.tag.start ?? at, end: target?.end ?? at }, start + content + end);
  }
  parts.push(file.slice(at));
  return parts.join('');
}

/** Writes languages and direction where the file says nothing, or something else. */
function languageTag(
  file: string,
  { tag, source, target, direction, isFile }: LanguagePlace,
  languages: XliffTranslation['languages'],
): string {
  const changes: Record<string, string> = {};
  if (source !== undefined && (source.value ?? '') === '') changes[source.name] = languages.source;
  if (target !== undefined && !isSameLanguage(target.value ?? '', languages.target)) {
    changes[target.name] = languages.target;
  }
  const wanted = textDirection(languages.target);
  const isUnsaid = direction === undefined && isFile && wanted === 'rtl';
  const isOther = direction !== undefined && direction !== 'auto' && direction !== wanted;
  if (isUnsaid || isOther) changes['trgDir'] = wanted;
  return withAttributes(file.slice(tag.start, tag.end), changes);
}

/** What a person has approved or said of the target before is not so any more. */
function unitTag(file: string, { tag }: XliffUnit, { dialect }: XliffOutline): string {
  const startTag = file.slice(tag.start, tag.end);
  if (dialect.version === 2) {
    return withAttributes(startTag, { state: 'translated', subState: undefined });
  }
  return /\sapproved\s*=/.test(startTag) ? withAttributes(startTag, { approved: 'no' }) : startTag;
}

function targetTag(
  file: string,
  unit: XliffUnit,
  { outline, language }: { outline: XliffOutline; language: LanguageTag },
): string {
  const { source, target } = unit;
  const space = SPACE.exec(file.slice(source.tag.start, source.tag.end))?.[1];
  const attributes = {
    ...(space !== undefined && { 'xml:space': space }),
    ...(outline.dialect.version === 1 && outline.version !== '1.0' && MADE_BY_PROGRAM),
    ...(target?.element.attribute('xml:lang') !== undefined && { 'xml:lang': language }),
  };
  const startTag =
    target === undefined
      ? `<${prefixOf(file, unit)}target>`
      : file.slice(target.tag.start, target.tag.end).replace(/\s*\/>$/, '>');
  return withAttributes(startTag, attributes);
}

function prefixOf(file: string, { source: { tag } }: XliffUnit): string {
  return PREFIX.exec(file.slice(tag.start, tag.end))?.[1] ?? '';
}

/** The content of the source, its segments translated. */
function targetContent(
  file: string,
  { content, contents }: XliffUnit['source'],
  answers: XliffTranslation['answers'],
): string {
  let xml = '';
  let at = content.start;
  for (const each of contents) {
    const answer = answers.get(each);
    if (answer === undefined) continue;
    xml += file.slice(at, each.start) + writeContent(file, each, answer);
    at = each.end;
  }
  return xml + file.slice(at, content.end);
}
