/** Whether two runs look the same, whatever else their properties say. */
import type { RunFormat } from './paragraph-pieces.ts';
import type { XmlElement } from './xml-element.ts';
import { attributesOf } from './xml-text.ts';

/** What of a vocabulary's run properties says nothing of how the run looks. */
export interface FormatRules {
  /** Names of elements: language, proofing, revisions. */
  ignoredElements: ReadonlySet<string>;
  /** Written names of attributes of the properties themselves. */
  ignoredAttributes: ReadonlySet<string>;
  showsBlanks(properties: XmlElement): boolean;
}

/** The format that run properties make. */
export function runFormat(properties: XmlElement | undefined, rules: FormatRules): RunFormat {
  if (properties === undefined) return { key: '', properties, showsBlanks: false };
  const own = attributeKey(properties, rules.ignoredAttributes);
  const keys = childKeys(properties, rules);
  const key = own === '' && keys === '' ? '' : `${own}|${keys}`;
  return { key, properties, showsBlanks: rules.showsBlanks(properties) };
}

const none: ReadonlySet<string> = new Set();

function childKeys(element: XmlElement, rules: FormatRules): string {
  const keys: string[] = [];
  for (const child of element.children) {
    if (typeof child === 'string' || rules.ignoredElements.has(child.name)) continue;
    keys.push(`${child.name}[${attributeKey(child, none)}](${childKeys(child, rules)})`);
  }
  return keys.sort().join('');
}

function attributeKey({ tag }: XmlElement, ignored: ReadonlySet<string>): string {
  if (!tag.includes('=')) return '';
  const keys: string[] = [];
  for (const [name, value] of attributesOf(tag)) {
    const isNoise =
      name.startsWith('xmlns') || name.endsWith(':rsidR') || name.endsWith(':rsidRPr');
    if (!isNoise && !ignored.has(name)) keys.push(`${name}=${value}`);
  }
  return keys.sort().join(' ');
}
