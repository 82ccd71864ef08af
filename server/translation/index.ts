/** Texts and their languages, wired: translation, detection, listings. */
import type { Config } from '../config.ts';
import type { UsageMeter } from '../accounts/usage/usage.ts';
import type { Routes } from '../http/door.ts';
import type { Improvement } from '../improvement/improvement.ts';
import type { Logger } from '../process/log.ts';
import type { Engines } from '../running-engines.ts';
import { detectionRoutes } from './detection-routes.ts';
import { createDetection } from './detection.ts';
import { languageRoutes } from './language-routes.ts';
import { isFreeTarget } from './language-table.ts';
import { createLanguageListings } from './languages.ts';
import { textTranslationRoutes } from './routes.ts';
import { createTextBacklog } from './text-backlog.ts';
import { createTextTranslation, type TextTranslationOptions } from './text-translation.ts';
import { createTranslation, type Translation } from './translation.ts';

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

/** What callers may wish of a translation. */
type Wishes = Pick<
  TextTranslationOptions,
  'translation' | 'glossaries' | 'styleRules' | 'translationMemories'
>;

/** Texts that are translated, and told the language of. */
export function openTexts({
  config,
  engines: { detector },
  translation,
  glossaries,
  styleRules,
  translationMemories,
  usageMeter,
}: Wishes & { config: Config; engines: Pick<Engines, 'detector'>; usageMeter: UsageMeter }) {
  const detection = createDetection(detector, translation);
  const backlog = createTextBacklog({ maxLength: config.TEXT_MAX_UNDER_WAY });
  const textTranslation = createTextTranslation({
    translation,
    glossaries,
    styleRules,
    translationMemories,
    usage: usageMeter,
    detection,
    backlog,
    isFreeTarget,
    refusesLatencyConflicts: config.LATENCY_CONFLICTS === 'refuse',
  });
  const routes: Routes = async (app, { door }) => {
    await app.register(textTranslationRoutes, { door, textTranslation });
    await app.register(detectionRoutes, { door, languageDetection: detection });
  };
  return { textTranslation, detection, backlog, routes };
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
