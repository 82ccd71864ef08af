/** A running server, and administrators of their own accounts. */
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { sharedServer } from '../support/product/shared-server.ts';
import type { DeveloperKey } from '../../shared/schemas/admin.ts';
import type { Charge } from '../../server/accounts/usage/usage-counters-store.ts';

export const KEYS = '/v2/admin/developer-keys';
export const ANALYTICS = '/v2/admin/analytics';
export const TAGS = '/v2/admin/analytics/custom-tags';

export interface Refusal {
  message: string;
}

interface Answer<Body> {
  status: number;
  body: Body;
}

export type Administration = Awaited<ReturnType<typeof openAdministration>>;
export type Administrator = Awaited<ReturnType<Administration['newAdmin']>>;

/** The shared server, and its database, opened as by a second process. */
export async function openAdministration() {
  const server = await sharedServer();
  const storage = await openEmbedded(server.dataFolder);
  const platform = platformOver(storage);

  async function call<Body = DeveloperKey & Refusal>(
    secret: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer<Body>> {
    const response = await server.send(path, {
      method,
      headers: {
        Authorization: `DeepL-Auth-Key ${secret}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  return {
    server,
    platform,
    /** Translates a text, which costs its length; resolves to the status. */
    async spend(secret: string, text: string, tag?: string): Promise<number> {
      const headers = {
        Authorization: `DeepL-Auth-Key ${secret}`,
        ...(tag !== undefined && { 'X-DeepL-Reporting-Tag': tag }),
      };
      const body = { text: [text], source_lang: 'EN', target_lang: 'EN-GB' };
      const response = await server.post('/v2/translate', body, headers);
      await response.text();
      return response.status;
    },
    async newAdmin() {
      const plan = { features: ['admin' as const] };
      const { account, secret, key } = await platform.newcomer(plan, { kind: 'admin' });
      const { accountId } = account;
      return {
        account,
        adminKey: key,
        secret,
        call: <Body = DeveloperKey & Refusal>(method: string, path: string, body?: unknown) =>
          call<Body>(secret, method, path, body),
        createKey: async (body: object = {}) =>
          (await call<DeveloperKey & { key: string }>(secret, 'POST', KEYS, body)).body,
        /** Charges as if a request had come at the given time. */
        used: (charge: Partial<Charge> & { keyId: string }) =>
          storage.usage.charge({
            accountId,
            kind: 'text',
            amount: 1,
            atMs: Date.now(),
            tag: null,
            ...charge,
          }),
      };
    },
    close: () => storage.close(),
  };
}
