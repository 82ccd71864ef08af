/** Shared helpers for the tests of remote translators. */
import assert from 'node:assert/strict';
import type {
  TranslationEngine,
  TranslationOptions,
  Unavailable,
} from '../../server/engines/engine.ts';
import type { TextSegment } from '../../server/text/text-segment.ts';
import { ServiceError, type ErrorCode } from '../../shared/errors.ts';
import { plain, textsOf } from './marked-segments.ts';

/** Returns the engine. @throws AssertionError if it is unavailable */
export function running(engine: TranslationEngine | Unavailable): TranslationEngine {
  assert.ok('pairs' in engine, 'reason' in engine ? engine.reason : '');
  return engine;
}

/** Translates texts from English to Spanish. */
export async function translateTexts(
  engine: TranslationEngine,
  texts: readonly string[],
  options: Partial<TranslationOptions> = {},
): Promise<string[]> {
  return textsOf(await translateSegments(engine, plain(texts), options));
}

/** Translates segments from English to Spanish. */
export function translateSegments(
  engine: TranslationEngine,
  segments: readonly TextSegment[],
  options: Partial<TranslationOptions> = {},
): Promise<TextSegment[]> {
  const { signal } = new AbortController();
  return engine.translate(segments, { source: 'en', target: 'es', signal, ...options });
}

/** Returns the code of the ServiceError that the work fails with. */
export async function failureCode(work: Promise<unknown>): Promise<ErrorCode> {
  const error: unknown = await work.then(
    () => assert.fail('expected a failure'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ServiceError, `not a ServiceError: ${String(error)}`);
  return error.code;
}
