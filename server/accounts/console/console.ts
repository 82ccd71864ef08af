/** Everything the console works with. */
import type { Logger } from '../../process/log.ts';
import type { Stores } from '../../storage/ports.ts';
import { createAccountService } from '../accounts.ts';
import type { ApiKeyService } from '../api-keys.ts';
import { createConsoleAccess, type ConsoleAccess } from './console-access.ts';
import { createConsoleAccount } from './console-account.ts';
import { createEngineConditions, type EngineLists } from '../../operation/engine-conditions.ts';
import type { EngineHealth } from '../../operation/engine-health.ts';
import type { Improvement } from '../../improvement/improvement.ts';
import { createLiveOverview } from '../../voice/session/live-overview.ts';
import { describeStyleRuleCatalogue } from '../../style-rules/style-rule-catalogue.ts';
import type { Translation } from '../../translation/translation.ts';
import type { VoiceSessions } from '../../voice/session/voice-sessions.ts';

export interface ConsoleServicesOptions {
  storage: Pick<Stores, 'accounts' | 'usage' | 'consoleCredentials'>;
  apiKeys: ApiKeyService;
  engines: EngineLists;
  health: EngineHealth;
  translation: Translation;
  improvement: Improvement;
  voiceSessions: VoiceSessions;
  /** The installation's first account, which sees what concerns the whole server. */
  operatorId: string;
  log: Logger;
}

/** Makes the services of the console. */
export function createConsoleServices(options: ConsoleServicesOptions) {
  const { storage, apiKeys, engines, health, translation, improvement } = options;
  const { voiceSessions, operatorId, log } = options;
  return {
    consoleAccess: createConsoleAccess({ ...storage, log }),
    consoleAccount: createConsoleAccount({
      accounts: createAccountService(storage),
      apiKeys,
      usage: storage.usage,
      operatorId,
    }),
    liveOverview: createLiveOverview(voiceSessions),
    describeEngines: createEngineConditions({
      ...{ engines, health },
      outages: {
        translation: () => translation.outages(),
        improvement: () => improvement.outages(),
      },
    }),
    describeStyleRules: () => describeStyleRuleCatalogue(translation),
  };
}

/**
 * The console's path as it is told to whoever starts the server: with a one-time link while the first
 * account has no password.
 */
export async function consoleEntrance(
  consoleAccess: ConsoleAccess,
  operatorId: string,
): Promise<string> {
  if (await consoleAccess.hasPassword(operatorId)) return CONSOLE_PATH;
  const { token } = await consoleAccess.issueLink(operatorId);
  return linkPath(token);
}

/** The path at which the page takes a password for a one-time link. The token never leaves the browser's address bar but to the page. */
export function linkPath(token: string): string {
  return `${CONSOLE_PATH}#set-password=${token}`;
}

const CONSOLE_PATH = '/console/';
