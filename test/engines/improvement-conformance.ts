/**
 * What every engine that improves texts promises, as checks that take a maker of engines. Use
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
  /** Makes an engine, which the checks close. */
  create: () => Promise<ImprovementEngine>;
  /** One that runs, for all checks that leave it open, where each takes seconds to start. */
  running?: ImprovementEngine;
  /** A language it improves. */
  language: LanguageTag;
  /** Sentences in it, without blanks at the ends. */
  sentences: readonly string[];
}

/** The engine that was made, not the reason why there is none. */
export function runningImprover(engine: ImprovementEngine | Unavailable): ImprovementEngine {
  if ('reason' in engine) throw new Error(engine.reason);
  return engine;
}

/** Corrects texts, unless told otherwise. */
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

    it('answers each text in its place, whoever else asks', async () => {
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

    it('keeps blanks at the ends and line breaks', async () => {
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

    it('leaves texts without words as they are', async () => {
      const texts = ['', '   ', '…', '12:30', '\u0000', '😀😀', '%s/%d'];
      expect(await improveTexts(engine, texts, { language })).toEqual(texts);
    });

    it('stops when it is told to', async () => {
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

    it('fails what comes after it was closed', async () => {
      const closed = await create();
      await closed.close();
      const work = improveTexts(closed, sentences.slice(0, 1), { language });
      await expect(work).rejects.toMatchObject({ code: 'engine_unavailable' });
    });
  });
}
