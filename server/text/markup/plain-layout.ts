/** Takes text without markup apart for translation. */
import type { LanguageTag } from '../../../shared/language.ts';
import { countCodePoints } from '../code-points.ts';
import { NO_REFERENCES } from './flow.ts';
import { layOutFlow } from './segment-layout.ts';
import type { SentenceSplitting, TextLayout } from './text-layout.ts';

/**
 * Takes a plain text apart. Line breaks and blanks between segments come back byte for byte, as do
 * lines and sentences without letters and placeholders such as `{name}`.
 */
export function layOutPlain(
  text: string,
  options: { splitting: SentenceSplitting; language?: LanguageTag | undefined },
): TextLayout {
  return layOutFlow({
    source: text,
    items: [{ kind: 'text', start: 0, end: text.length, references: NO_REFERENCES }],
    characters: countCodePoints(text),
    splitting: options.splitting,
    language: options.language,
    write: (translated) => translated,
  });
}
