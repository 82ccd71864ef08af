/**
 * Language-dependent properties of WordprocessingML: direction and proofing language of runs,
 * paragraphs, tables and sections. Child elements have a fixed order (ISO/IEC 29500-1, annex A).
 */
import type { TargetLanguage } from './office-parts.ts';
import {
  attribute,
  childOf,
  cloneElement,
  elementLike,
  setAttribute,
  writtenPrefix,
  type XmlElement,
} from './xml-element.ts';

/** Elements that follow an inserted element, by the schema. */
const following = {
  'w:bidi':
    'adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange',
  'w:bidiVisual':
    'tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd tblBorders shd tblLayout tblCellMar tblLook tblCaption tblDescription tblPrChange',
  'w:bCs':
    'i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath rPrChange',
  'w:iCs':
    'caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath rPrChange',
  'w:szCs':
    'highlight u effect bdr shd fitText vertAlign rtl cs em lang eastAsianLayout specVanish oMath rPrChange',
  'w:rtl': 'cs em lang eastAsianLayout specVanish oMath rPrChange',
} as const;

type Placed = keyof typeof following;

const followers = new Map<Placed, ReadonlySet<string>>(
  Object.entries(following).map(([name, list]) => [
    name as Placed,
    new Set(list.split(' ').map((local) => `w:${local}`)),
  ]),
);

/** Elements that follow `w:bidi` in a section, which has an order of its own. */
const sectionFollowers = new Set([
  'w:rtlGutter',
  'w:docGrid',
  'w:printerSettings',
  'w:sectPrChange',
]);

/** Puts an element in its schema position, replacing any element of the same name. */
function place(
  parent: XmlElement,
  name: Placed,
  element: XmlElement,
  after: ReadonlySet<string> | undefined = followers.get(name),
): void {
  const others = parent.children.filter(
    (child) => typeof child === 'string' || child.name !== name,
  );
  const at = others.findIndex((child) => typeof child !== 'string' && after?.has(child.name));
  others.splice(at < 0 ? others.length : at, 0, element);
  parent.children = others;
}

function remove(parent: XmlElement, names: ReadonlySet<string>): void {
  parent.children = parent.children.filter(
    (child) => typeof child === 'string' || !names.has(child.name),
  );
}

const LANGUAGE = new Set(['w:lang', 'w:noProof', 'w:rPrChange', 'w:ins', 'w:del']);
const FONTS = new Set(['w:rFonts']);
const RIGHT_TO_LEFT = new Set(['w:rtl']);
const BIDIRECTIONAL = new Set(['w:bidi']);

/**
 * Returns run properties for translated text. They set no language of their own, so that of the
 * styles applies.
 *
 * @param like element of the vocabulary, whose prefix new elements get
 * @returns undefined when no property remains
 */
export function runProperties(
  properties: XmlElement | undefined,
  like: XmlElement,
  target: TargetLanguage,
): XmlElement | undefined {
  const changed = properties === undefined ? elementLike(like, 'rPr') : cloneElement(properties);
  remove(changed, LANGUAGE);
  if (!EAST_ASIAN.test(target.tag)) removeHint(changed);
  turnRun(changed, target);
  return changed.children.some((child) => typeof child !== 'string') ? changed : undefined;
}

/** Languages with fonts of their own, in which quotation marks and dashes are wide. */
const EAST_ASIAN = /^(?:zh|ja|ko)\b/;

/** Removes the hint that signs of several scripts take the East Asian font, in which they are wide. */
function removeHint(properties: XmlElement): void {
  const fonts = childOf(properties, 'w:rFonts');
  if (fonts === undefined) return;
  setAttribute(fonts, `${writtenPrefix(fonts)}hint`, undefined);
  if (!fonts.tag.includes('=')) remove(properties, FONTS);
}

/** Sets the direction of a run. */
function turnRun(properties: XmlElement, target: TargetLanguage): void {
  if (target.isRightToLeft) {
    mirrorForComplexScripts(properties);
    place(properties, 'w:rtl', elementLike(properties, 'rtl'));
  } else if (target.wasRightToLeft) {
    remove(properties, RIGHT_TO_LEFT);
  }
}

/**
 * Copies weight, slope and size to their complex-script counterparts. These are often missing in a
 * document that was written in another script.
 */
function mirrorForComplexScripts(properties: XmlElement): void {
  const pairs = [
    ['w:b', 'w:bCs'],
    ['w:i', 'w:iCs'],
    ['w:sz', 'w:szCs'],
  ] as const;
  for (const [name, complex] of pairs) {
    const own = childOf(properties, name);
    if (own === undefined || childOf(properties, complex) !== undefined) continue;
    const tag = own.tag.replace(/^(<(?:[^\s/>]+:)?[^\s/>:]+)/, '$1Cs');
    place(properties, complex, { name: complex, tag, children: [] });
  }
}

/** Whether paragraphs must be turned at all. */
export function changesDirection({ isRightToLeft, wasRightToLeft }: TargetLanguage): boolean {
  return isRightToLeft !== wasRightToLeft;
}

/** Returns paragraph properties for the direction of the target language. */
export function paragraphProperties(
  properties: XmlElement | undefined,
  like: XmlElement,
  target: TargetLanguage,
): XmlElement | undefined {
  if (!changesDirection(target)) return properties;
  const changed = properties === undefined ? elementLike(like, 'pPr') : cloneElement(properties);
  if (target.isRightToLeft) place(changed, 'w:bidi', elementLike(like, 'bidi'));
  else remove(changed, BIDIRECTIONAL);
  const section = childOf(changed, 'w:sectPr');
  if (section !== undefined) turnSection(section, target);
  return changed.children.length > 0 ? changed : undefined;
}

/** Turns the order of a table's columns. */
export function turnTable(tableProperties: XmlElement, target: TargetLanguage): void {
  if (target.isRightToLeft) {
    place(tableProperties, 'w:bidiVisual', elementLike(tableProperties, 'bidiVisual'));
  } else {
    remove(tableProperties, new Set(['w:bidiVisual']));
  }
}

/** Turns the order of a section's columns and the side of its page numbers. */
export function turnSection(section: XmlElement, target: TargetLanguage): void {
  if (target.isRightToLeft) {
    place(section, 'w:bidi', elementLike(section, 'bidi'), sectionFollowers);
  } else {
    remove(section, BIDIRECTIONAL);
  }
}

/** Turns a style's paragraph properties: removes right-to-left for a left-to-right target. */
export function turnStyleParagraph(properties: XmlElement, target: TargetLanguage): void {
  if (!target.isRightToLeft) remove(properties, BIDIRECTIONAL);
}

/** Turns a style's run properties. */
export function turnStyleRun(properties: XmlElement, target: TargetLanguage): void {
  if (target.isRightToLeft) mirrorForComplexScripts(properties);
  else remove(properties, RIGHT_TO_LEFT);
}

/** Sets the proofing language in `w:lang` or `w:themeFontLang`. */
export function setLanguage(element: XmlElement, target: TargetLanguage): void {
  const prefix = writtenPrefix(element);
  // Attributes are not in a default namespace, so without a prefix they cannot be written.
  if (prefix === '') return;
  setAttribute(element, `${prefix}val`, target.tag);
  if (EAST_ASIAN.test(target.tag)) setAttribute(element, `${prefix}eastAsia`, target.tag);
  if (target.isRightToLeft) setAttribute(element, `${prefix}bidi`, target.tag);
}

/** Whether an on-off property such as `w:vanish` is on: it is, unless its value says otherwise. */
export function isOn(property: XmlElement | undefined): boolean {
  if (property === undefined) return false;
  return !['0', 'false', 'off', 'none'].includes(attribute(property, 'val') ?? '1');
}
