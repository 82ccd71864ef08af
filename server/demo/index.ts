/** The demo page, wired. */
import { isLoopbackHost, type Config } from '../config.ts';
import type { PageRoutes } from '../http/door.ts';
import type { Engines } from '../running-engines.ts';
import type { Translation } from '../translation/translation.ts';
import { createDemo, type DemoContentOptions } from './demo.ts';
import { demoRoutes, type DemoOptions } from './routes.ts';

/** @param options.caller whose documents are those of the page */
export function openDemo({
  config,
  engines: { recognition, synthesis, missing },
  translation,
  betterModels,
  voiceSessions,
  documentTranslations,
  caller,
}: Pick<DemoOptions, 'voiceSessions' | 'documentTranslations'> & {
  config: Config;
  engines: Pick<Engines, 'recognition' | 'synthesis' | 'missing'>;
  translation: Translation;
  betterModels: DemoContentOptions['betterModels'];
  caller: DemoOptions['demoCaller'];
}) {
  const routes: PageRoutes = async (app, { widgetFolder }) => {
    await app.register(demoRoutes, {
      widgetFolder,
      voiceSessions,
      documentTranslations,
      demoCaller: caller,
      publicUrl: config.PUBLIC_URL,
      demoContent: createDemo({
        recognisers: recognition,
        speakers: synthesis,
        translation,
        betterModels,
        missing,
      }),
      isDemoHost: (host) => config.DEMO === 'on' || isLoopbackHost(host),
    });
  };
  return { routes };
}
