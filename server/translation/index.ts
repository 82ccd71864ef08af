/** Texts and their languages, wired: translation, wishes, detection, listings. */
import type { Config } from '../config.ts';
import type { UsageMeter } from '../accounts/usage/usage.ts';
import type { Routes } from '../http/door.ts';
import type { Improvement } from '../improvement/improvement.ts';
import type { Logger } from '../process/log.ts';
import type { Engines } from '../running-engines.ts';
import { detectionRoutes, languageRoutes, textTranslationRoutes } from './routes.ts';
import { createDetection } from './detection.ts';
import { createLanguageListings } from './languages.ts';
import { createAccountTexts } from './account-texts.ts';
import { createTextTranslation } from './text-translation.ts';
import { createTranslation, type Translation } from './translation.ts';
import { createWishResolver, type WishResolverOptions } from './wishes.ts';

/** Translation by whatever engines run, in the order that the settings ask for. */
export function openTranslation({
  log,
  engines: { translation, preference },
}: {
  log: Logger;
  engines: Pick<Engines, 'translation' | 'preference'>;
}): Translation {
  return createTranslation({ engines: translation, preference, log });
}

/** Texts that are translated or whose language is found out, and what callers may wish of translations. */
export function openTexts({
  config,
  engines: { detector },
  usageMeter,
  ...looked
}: Omit<WishResolverOptions, 'detection' | 'usualLanguages'> & {
  config: Config;
  engines: Pick<Engines, 'detector'>;
  usageMeter: UsageMeter;
}) {
  const { translation } = looked;
  const texts = createAccountTexts({ maxLength: config.TEXT_MAX_UNDER_WAY });
  const { usualLanguages } = texts;
  const detection = createDetection(detector, translation, usualLanguages);
  const wishes = createWishResolver({ ...looked, detection, usualLanguages });
  const textTranslation = createTextTranslation({
    translation,
    wishes,
    texts,
    usage: usageMeter,
    refusesLatencyConflicts: config.LATENCY_CONFLICTS === 'refuse',
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(textTranslationRoutes, { door, textTranslation });
    await app.register(detectionRoutes, { door, languageDetection: detection });
  };
  return { texts, wishes, routes };
}

/** The listings of languages. */
export function openLanguages({
  engines: { recognition, synthesis, detector },
  translation,
  improvement,
}: {
  engines: Pick<Engines, 'recognition' | 'synthesis' | 'detector'>;
  translation: Translation;
  improvement: Improvement;
}) {
  const languageListings = createLanguageListings({
    translation,
    improvement,
    recognisers: recognition,
    speakers: synthesis,
    detector,
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(languageRoutes, { door, languageListings });
  };
  return { routes };
}
