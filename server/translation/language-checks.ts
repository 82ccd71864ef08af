/** Whether the running engines do what a request asks for: its languages and its wishes. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type { FormalityWish } from './request-wishes.ts';
import type { Translation } from './translation.ts';

/** What is asked of the engines; without a source, it is to be detected. */
export interface AskedTranslation {
  source: LanguageTag | undefined;
  target: LanguageTag;
  formality: FormalityWish | undefined;
  /** Wishes in plain words. */
  instructions?: readonly string[];
}

/** @throws ServiceError invalid_request, with the languages that the running engines serve */
export function checkLanguages(
  { source, target }: Pick<AskedTranslation, 'source' | 'target'>,
  translation: Translation,
): void {
  // What nearly every request asks for is spared the lists below.
  const isToAnother = source !== undefined && baseLanguage(source) !== baseLanguage(target);
  if (isToAnother && translation.serves({ source, target })) return;
  const sources = translation.sources();
  const isSource = source === undefined || withBase(source).some((tag) => sources.includes(tag));
  if (!isSource) throw unsupported('source_lang', sources);
  const targets = translation.targets(source);
  // A variant of a source language can always be reached: from that language itself.
  const isTarget =
    source === undefined
      ? withBase(target).some((tag) => targets.includes(tag) || sources.includes(tag))
      : translation.serves({ source, target });
  if (!isTarget) throw unsupported('target_lang', targets, source);
}

/**
 * @param what the text whose language is `source`, as the beginning of a sentence
 * @throws ServiceError invalid_request for what no engine does for this pair
 */
export function checkWishes(
  source: LanguageTag,
  { source: given, target, formality, instructions = [] }: AskedTranslation,
  translation: Translation,
  what = 'A text',
): void {
  const pair = { source, target };
  if (given === undefined && !translation.serves(pair)) {
    throw invalid(
      `${what} is in ${source.toUpperCase()}: no running engine translates that to ${target.toUpperCase()}. ` +
        'Set source_lang if that is a mistake.',
    );
  }
  if (formality?.insists === true && !translation.choosesFormality(pair)) {
    throw invalid(
      `Target language '${target.toUpperCase()}' doesn't support formality with the running engines. ` +
        'Use prefer_more or prefer_less to go on without.',
    );
  }
  if (instructions.length > 0 && !translation.followsInstructions(pair)) {
    throw invalid(
      'custom_instructions: no running engine can follow them. Connect one that does, such as CHAT_URL or DEEPL_URL, or leave them out.',
    );
  }
}

function withBase(tag: LanguageTag): LanguageTag[] {
  return [tag, baseLanguage(tag)];
}

function unsupported(name: string, possible: readonly LanguageTag[], source?: LanguageTag) {
  const from = source === undefined ? '' : `from ${source.toUpperCase()} `;
  const list = possible.length === 0 ? 'none' : possible.join(', ').toUpperCase();
  return invalid(
    `Value for '${name}' not supported. Possible ${from}with the running engines: ${list}.`,
  );
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
