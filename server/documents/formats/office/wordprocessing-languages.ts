/** Parts of a Word document that say which language and direction text has unless it says otherwise. */
import type { TargetLanguage } from './paragraph.ts';
import type { PartVisitor } from './part-reading.ts';
import {
  changesDirection,
  setLanguage,
  turnStyleParagraph,
  turnStyleRun,
} from './wordprocessing-properties.ts';
import { childOf, elementLike, elementsOf, serialise, type XmlElement } from './xml-element.ts';

/** Styles: the proofing language of all, and what they say of right-to-left. */
export function stylesVisitor(target: TargetLanguage): PartVisitor {
  return {
    isTree: (name) => name === 'w:rPr' || name === 'w:pPr' || name === 'w:rPrDefault',
    tree(element) {
      if (element.name === 'w:rPrDefault') sayLanguage(element);
      turnStyle(element, target);
      return serialise(element);
    },
  };
}

/** The defaults say the language even where they said none. */
function sayLanguage(defaults: XmlElement): void {
  let properties = childOf(defaults, 'w:rPr');
  if (properties === undefined) {
    properties = elementLike(defaults, 'rPr');
    defaults.children.push(properties);
  }
  if (childOf(properties, 'w:lang') !== undefined) return;
  const language = elementLike(defaults, 'lang');
  const after = properties.children.findIndex(
    (child) => typeof child !== 'string' && LAST.has(child.name),
  );
  properties.children.splice(after < 0 ? properties.children.length : after, 0, language);
}

/** What follows `w:lang` by the schema. */
const LAST = new Set(['w:eastAsianLayout', 'w:specVanish', 'w:oMath']);

function turnStyle(element: XmlElement, target: TargetLanguage): void {
  if (element.name === 'w:lang') setLanguage(element, target);
  if (changesDirection(target)) {
    if (element.name === 'w:rPr') turnStyleRun(element, target);
    if (element.name === 'w:pPr') turnStyleParagraph(element, target);
  }
  for (const child of elementsOf(element)) turnStyle(child, target);
}

/** Settings: the language that theme fonts are chosen for. */
export function settingsVisitor(target: TargetLanguage): PartVisitor {
  return {
    isTree: (name) => name === 'w:themeFontLang',
    tree(element) {
      setLanguage(element, target);
      return serialise(element);
    },
  };
}
