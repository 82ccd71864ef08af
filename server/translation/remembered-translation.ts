/** Translation with a translation memory: what is the same comes from it, what is alike is of use. */
import { baseLanguage } from '../../shared/language.ts';
import type { LanguagePair, TranslationExample } from '../engines/engine.ts';
import type { TextSegment } from '../text/text-segment.ts';
import type { MemoryMatch, MemorySearch } from '../memories/memory-search.ts';
import type { SegmentTranslation, SegmentTranslationOptions, Translation } from './translation.ts';

/** Segments with examples that are asked for together: as many as a chat model gets in one request. */
const SEGMENTS_PER_CALL = 24;
const PARALLEL_CALLS = 4;

/** A segment, and what the memory has for it. */
interface Asked {
  index: number;
  segment: TextSegment;
  matches: readonly MemoryMatch[];
}

type Translator = Pick<Translation, 'translateSegments'>;

/**
 * Puts a memory before translation. A segment that is in the memory gets the translation it has
 * there. One that is alike is translated with the examples by engines that use such; where there is
 * none, or another had to step in, it gets the translation of what it is most like if numbers and
 * marks agree. All else is translated as without a memory.
 */
export function rememberedTranslation(
  translation: Translator,
  { search, usesExamples }: { search: MemorySearch; usesExamples: (pair: LanguagePair) => boolean },
): Translator {
  return {
    async translateSegments(segments, options) {
      const { source, target, signal } = options;
      const isOther = baseLanguage(source) !== search.sourceLang;
      if (isOther || baseLanguage(source) === baseLanguage(target)) {
        return translation.translateSegments(segments, options);
      }
      const found = await search.find(segments, signal);
      signal.throwIfAborted();
      const asked = segments.map((segment, index) => {
        return { index, segment, matches: found[index] ?? [] };
      });
      return translateRest(asked, options, { translation, asExamples: usesExamples(options) });
    },
  };
}

async function translateRest(
  asked: readonly Asked[],
  options: SegmentTranslationOptions,
  { translation, asExamples }: { translation: Translator; asExamples: boolean },
): Promise<SegmentTranslation> {
  const segments: (TextSegment | undefined)[] = asked.map(({ matches }) =>
    remembered(matches, { alsoSimilar: !asExamples }),
  );
  const open = asked.filter(({ index }) => segments[index] === undefined);
  const calls = callsFor(open, asExamples);
  const results: SegmentTranslation[] = [];
  let next = 0;

  async function callNext(): Promise<void> {
    for (let call = calls[next]; call !== undefined; call = calls[next]) {
      next += 1;
      const examples = examplesOf(call);
      const result = await translation.translateSegments(
        call.map(({ segment }) => segment),
        { ...options, ...(examples.length > 0 && { examples }) },
      );
      results.push(result);
      for (const [place, { index, matches }] of call.entries()) {
        const similar =
          result.tookExamples === true ? undefined : remembered(matches, { alsoSimilar: true });
        segments[index] = similar ?? result.segments[place];
      }
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_CALLS }, callNext));
  return {
    segments: asked.map(({ index, segment }) => segments[index] ?? segment),
    engine: results[0]?.engine,
    generation: results.some(({ generation }) => generation === 'next') ? 'next' : 'classic',
  };
}

/**
 * What stands for a translation: of the best match alone, for one that is less alike has less to say
 * where that one does not fit. A similar one as well where nobody could make a better one of it.
 */
function remembered(
  [best]: readonly MemoryMatch[],
  { alsoSimilar }: { alsoSimilar: boolean },
): TextSegment | undefined {
  return best !== undefined && (alsoSimilar || best.score === 100) ? best.translation : undefined;
}

/** All segments without examples in one call; the others in calls that carry no more than their own. */
function callsFor(open: readonly Asked[], asExamples: boolean): Asked[][] {
  const withExamples = asExamples ? open.filter(({ matches }) => matches.length > 0) : [];
  const others = asExamples ? open.filter(({ matches }) => matches.length === 0) : [...open];
  const calls: Asked[][] =
    others.length === 0 ? [] : [others.map((each) => ({ ...each, matches: [] }))];
  for (let start = 0; start < withExamples.length; start += SEGMENTS_PER_CALL) {
    calls.push(withExamples.slice(start, start + SEGMENTS_PER_CALL));
  }
  return calls;
}

/** Each pair once, the best ones of all segments before the second-best. */
function examplesOf(call: readonly Asked[]): TranslationExample[] {
  const examples = new Map<string, TranslationExample>();
  for (const { source, target } of [
    ...call.flatMap(({ matches }) => matches.slice(0, 1)),
    ...call.flatMap(({ matches }) => matches.slice(1)),
  ]) {
    examples.set(`${source}\0${target}`, { source, target });
  }
  return [...examples.values()];
}
