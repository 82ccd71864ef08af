/**
 * The contract of improvement engines as checks that take an engine factory. Call
 * `describeImprovementConformance` in the test file of an engine.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ImprovementEngine,
  ImprovementOptions,
  Unavailable,
} from '../../server/engines/engine.ts';
import type { LanguageTag } from '../../shared/language.ts';

export interface ImprovementSubject {
  name: string;
  /** Creates an engine, which the checks close. */
  create: () => Promise<ImprovementEngine>;
  /** A running engine for all checks that do not close it, for engines that take seconds to start. */
  running?: ImprovementEngine;
  /** A language that the engine improves. */
  language: LanguageTag;
  /** Sentences in that language, without blanks at the ends. */
  sentences: readonly string[];
}

/** Returns the engine. @throws Error if it is unavailable. */
export function runningImprover(engine: ImprovementEngine | Unavailable): ImprovementEngine {
  if ('reason' in engine) throw new Error(engine.reason);
  return engine;
}

/** Improves texts; the default task is correction. */
export function improveTexts(
  engine: ImprovementEngine,
  texts: readonly string[],
  options: Partial<ImprovementOptions> & { language: LanguageTag },
): Promise<string[]> {
  const { signal } = new AbortController();
  return engine.improve(texts, { task: 'correct', signal, ...options });
}

export function describeImprovementConformance({
  name,
  create,
  running,
  language,
  sentences,
}: ImprovementSubject): void {
  describe(name, () => {
    let engine: ImprovementEngine;
    beforeAll(async () => (engine = running ?? (await create())));
    afterAll(() => (running === undefined ? engine.close() : undefined));

    it('answers each text in its place during concurrent calls', async () => {
      const numbered = sentences.slice(0, 12).map((sentence, i) => `${1000 + i} ${sentence}`);
      const answers = await Promise.all(
        [numbered, numbered.toReversed(), numbered.slice(0, 1), []].map((texts) =>
          improveTexts(engine, texts, { language }),
        ),
      );
      expect(answers.map((texts) => texts.map((text) => text.slice(0, 4)))).toEqual([
        numbered.map((text) => text.slice(0, 4)),
        numbered.toReversed().map((text) => text.slice(0, 4)),
        ['1000'],
        [],
      ]);
    });

    it('keeps line breaks and blanks at the ends', async () => {
      const [one = '', two = ''] = sentences;
      const text = `\n  ${one}\r\n\n${two}\t\n`;
      const [improved = ''] = await improveTexts(engine, [text], { language });
      const blanks = (of: string) => [
        /^\s*/.exec(of)?.[0],
        of.match(/[\r\n]+/g),
        /\s*$/.exec(of)?.[0],
      ];
      expect(blanks(improved)).toEqual(blanks(text));
    });

    it('leaves texts without words unchanged', async () => {
      const texts = ['', '   ', '…', '12:30', '\u0000', '😀😀', '%s/%d'];
      expect(await improveTexts(engine, texts, { language })).toEqual(texts);
    });

    it('stops on abort', async () => {
      const abort = new AbortController();
      const reason = new Error('nobody waits');
      const work = improveTexts(engine, sentences, { language, signal: abort.signal });
      abort.abort(reason);
      await expect(work).rejects.toBe(reason);
      await expect(improveTexts(engine, ['a'], { language, signal: abort.signal })).rejects.toBe(
        reason,
      );
      expect(await improveTexts(engine, sentences.slice(0, 1), { language })).toHaveLength(1);
    });

    it('rejects calls after close', async () => {
      const closed = await create();
      await closed.close();
      const work = improveTexts(closed, sentences.slice(0, 1), { language });
      await expect(work).rejects.toMatchObject({ code: 'engine_unavailable' });
    });
  });
}
