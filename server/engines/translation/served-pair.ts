/** What an engine says of a pair that it does not serve. */
import { ServiceError } from '../../../shared/errors.ts';
import type { LanguagePair } from '../engine.ts';

export function refusePair(engine: string, { source, target }: LanguagePair): ServiceError {
  return new ServiceError(
    'translation_failed',
    `The translator ${engine} does not translate from ${source} to ${target}. ` +
      'Choose another engine or another pair.',
  );
}
