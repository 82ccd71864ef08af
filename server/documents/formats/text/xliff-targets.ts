/** Which targets of an XLIFF file are translations already. */
import { canonicalLanguage, type LanguageTag } from '../../../../shared/language.ts';
import type { Span, XmlElement } from './xml-events.ts';

export interface XliffTarget {
  /** Its start tag. */
  tag: Span;
  element: XmlElement;
  /** Between its tags. */
  content: Span;
  /** Behind its end tag. */
  end: number;
}

const DONE = /^(?:translated|reviewed|final|signed-off|needs-(?:adaptation|l10n|review-.+))$/;
const NOT_DONE = /^(?:initial|new|needs-translation)$/;
const TAGS = /<[^>]*>/g;

/**
 * Whether somebody has translated it: its state says so, or it has no state and is another text than
 * the source.
 *
 * @param question.unit the `segment`, which has the state in XLIFF 2, or the `trans-unit`
 * @param question.source content of the source
 */
export function isTranslated(
  { element, content }: XliffTarget,
  { file, unit, source }: { file: string; unit: XmlElement; source: Span },
): boolean {
  const text = textOf(file, content);
  if (text === '') return false;
  if (unit.attribute('approved') === 'yes') return true;
  const state = unit.attribute('state') ?? element.attribute('state') ?? '';
  if (DONE.test(state)) return true;
  return !NOT_DONE.test(state) && text !== textOf(file, source);
}

/** Whether a text in one language serves who asked for the other: regions differ only where both are given. */
export function isSameLanguage(one: string, other: LanguageTag): boolean {
  const [first, second] = [partsOf(one), partsOf(other)];
  if (first === undefined || second === undefined) return false;
  const fits = (a: string | undefined, b: string | undefined): boolean =>
    a === undefined || b === undefined || a === b;
  return (
    first.language === second.language &&
    fits(first.script, second.script) &&
    fits(first.region, second.region)
  );
}

function partsOf(tag: string): Intl.Locale | undefined {
  const canonical = canonicalLanguage(tag);
  return canonical === undefined ? undefined : new Intl.Locale(canonical);
}

function textOf(file: string, { start, end }: Span): string {
  return file.slice(start, end).replaceAll(TAGS, '').trim();
}
