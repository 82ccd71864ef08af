/** Source captions to the captions of one target language. */
import type { LanguageTag } from '../../shared/language.ts';
import { leadingBlank, type CaptionSegment, type CaptionUpdate } from './captions.ts';
import { createSteady } from './steady.ts';

/** Translates one text. @throws ServiceError translation_failed */
export type TranslateText = (
  text: string,
  options: { source: LanguageTag; target: LanguageTag; signal: AbortSignal },
) => Promise<string>;

export interface TranslateOptions {
  target: LanguageTag;
  translateText: TranslateText;
  signal: AbortSignal;
}

/**
 * One translation at a time. Concluded segments are translated in order and each exactly once;
 * tentative text is translated when nothing concluded waits, the newest first and only: the updates
 * are expected to conflate while a translation runs.
 *
 * @throws ServiceError translation_failed when a concluded segment cannot be translated
 */
export async function* translate(
  updates: AsyncIterable<CaptionUpdate>,
  { target, translateText, signal }: TranslateOptions,
): AsyncGenerator<CaptionUpdate> {
  const steady = createSteady();
  let isFirst = true;
  let shown = '';

  async function translated(segment: CaptionSegment): Promise<string> {
    const source = segment.language;
    return (await translateText(segment.text.trim(), { source, target, signal })).trim();
  }

  for await (const { concluded, tentative } of updates) {
    for (const segment of concluded) {
      const text = leadingBlank(target, isFirst) + (await translated(segment));
      const { startMs, endMs } = segment;
      isFirst = false;
      shown = '';
      steady.reset();
      yield { concluded: [{ text, startMs, endMs, language: target }], tentative: [] };
    }
    const [growing] = tentative;
    if (growing === undefined) steady.reset();
    const guess = growing && (await translated(growing).catch(() => undefined));
    signal.throwIfAborted();
    // A failed guess costs nothing: the next one, or the concluded sentence, takes its place.
    if (growing !== undefined && guess === undefined) continue;
    const stable = guess === undefined ? '' : steady.next(guess.split(/\s+/)).join(' ');
    if (stable === shown) continue;
    shown = stable;
    yield { concluded: [], tentative: growing === undefined ? [] : tentativeOf(growing, stable) };
  }

  function tentativeOf({ startMs, endMs }: CaptionSegment, stable: string): CaptionSegment[] {
    if (stable === '') return [];
    return [{ text: leadingBlank(target, isFirst) + stable, startMs, endMs, language: target }];
  }
}
