/** The styles of the document: how its text and its headings mostly look. */
import type { FlowText, TextLook } from './flow-model.ts';

export interface DocumentLooks {
  body: TextLook;
  /** By level from 1. */
  headings: ReadonlyMap<number, TextLook>;
}

const PLAIN: TextLook = {
  font: 'Times New Roman',
  size: 22,
  isBold: false,
  isItalic: false,
  color: '000000',
  shading: undefined,
  position: 'normal',
  link: undefined,
  note: undefined,
  field: undefined,
};

/** Counts characters. */
export function findLooks(texts: Iterable<FlowText>): DocumentLooks {
  const counts = new Map<number, Map<string, { look: TextLook; characters: number }>>();
  for (const { pieces, headingLevel = 0 } of texts) {
    const group =
      counts.get(headingLevel) ?? new Map<string, { look: TextLook; characters: number }>();
    counts.set(headingLevel, group);
    for (const { text, look } of pieces) {
      const { font, size, isBold, isItalic, color } = look;
      if (look.position !== 'normal') continue;
      const key = [font, size, isBold, isItalic, color].join('|');
      const known = group.get(key) ?? {
        look: { ...PLAIN, font, size, isBold, isItalic, color },
        characters: 0,
      };
      known.characters += text.length;
      group.set(key, known);
    }
  }
  const commonest = (level: number): TextLook | undefined =>
    [...(counts.get(level)?.values() ?? [])].sort((a, b) => b.characters - a.characters)[0]?.look;
  const headings = new Map<number, TextLook>();
  for (const level of counts.keys()) {
    const look = level === 0 ? undefined : commonest(level);
    if (look !== undefined) headings.set(level, look);
  }
  return { body: commonest(0) ?? PLAIN, headings };
}

/** The look of a paragraph's style. */
export function styleLook({ headingLevel }: FlowText, looks: DocumentLooks): TextLook {
  return (headingLevel === undefined ? undefined : looks.headings.get(headingLevel)) ?? looks.body;
}
