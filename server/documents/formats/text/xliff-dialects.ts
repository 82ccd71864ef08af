/** How the codes of XLIFF 1.x and 2.x work: what encloses text, and what belongs to what. */
import type { ContentToken } from './xliff-pieces.ts';

/** An element within a source. */
export interface InlineElement {
  name: string;
  attribute: (name: string) => string | undefined;
}

/** What an element within a source is. */
export interface CodeKind {
  /** `element` encloses text; `opaque` has content of its own that is none of the text. */
  role: 'element' | 'opaque';
  /** Of one that does not enclose text; `start` and `end` have a key. */
  place: Extract<ContentToken['role'], 'lone' | 'start' | 'end'>;
  key?: string;
  isFixed?: boolean;
  /** Whether what it encloses, or what follows until its partner, is to be translated. */
  translate?: boolean;
}

export interface Dialect {
  version: 1 | 2;
  /** Element that holds a source and its target. */
  segment: 'trans-unit' | 'segment';
  codeKind(element: InlineElement): CodeKind;
}

const LONE: CodeKind = { role: 'opaque', place: 'lone' };

/** XLIFF 2.0 §4.2.3 and §4.2.2 name them. */
export const version2: Dialect = {
  version: 2,
  segment: 'segment',
  codeKind({ name, attribute }) {
    const translate = yesOrNo(attribute('translate'));
    const isFixed = (attribute('canReorder') ?? 'yes') !== 'yes';
    switch (name) {
      case 'pc':
      case 'mrk':
        return { role: 'element', place: 'lone', ...translate };
      case 'sc':
        return { role: 'opaque', place: 'start', key: `c${attribute('id')}`, isFixed };
      case 'ec':
        return { role: 'opaque', place: 'end', key: `c${attribute('startRef')}`, isFixed };
      case 'sm':
        return { role: 'opaque', place: 'start', key: `m${attribute('id')}`, ...translate };
      case 'em':
        return { role: 'opaque', place: 'end', key: `m${attribute('startRef')}` };
      default:
        return isFixed ? { ...LONE, isFixed } : LONE;
    }
  },
};

/** XLIFF 1.2 §2.3 names them; 1.0 and 1.1 have the same. */
export const version1: Dialect = {
  version: 1,
  segment: 'trans-unit',
  codeKind({ name, attribute }) {
    const key = attribute('rid') ?? attribute('id') ?? '';
    switch (name) {
      case 'g':
        return { role: 'element', place: 'lone' };
      case 'mrk':
        return {
          ...{ role: 'element', place: 'lone' },
          ...(attribute('mtype') === 'protected' && { translate: false }),
        };
      case 'bx':
      case 'bpt':
        return { role: 'opaque', place: 'start', key: `${name === 'bx' ? 'x' : 'pt'}${key}` };
      case 'ex':
      case 'ept':
        return { role: 'opaque', place: 'end', key: `${name === 'ex' ? 'x' : 'pt'}${key}` };
      default:
        return LONE;
    }
  },
};

function yesOrNo(value: string | undefined): { translate?: boolean } {
  return value === undefined ? {} : { translate: value !== 'no' };
}
