/** Who is signed in, as the server tells it. */
import type { ConsoleSession } from '../../shared/schemas/console.ts';
import { api, ApiFailure } from './api.ts';

export type Session = ConsoleSession;

/** The session of this browser; undefined when nobody is signed in. @throws ApiFailure */
export async function currentSession(): Promise<Session | undefined> {
  try {
    return await api.get<Session>('session');
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) return undefined;
    throw error;
  }
}

/** @throws ApiFailure 403 for a wrong account or password, 429 after too many tries */
export function signIn(account: string, password: string): Promise<Session> {
  return api.post<Session>('sign-in', { account, password });
}

/** @throws ApiFailure */
export async function signOut(): Promise<void> {
  await api.post<undefined>('sign-out', {});
}

/** Sets the password by the token of a one-time link, and signs in. @throws ApiFailure */
export function setPassword(token: string, password: string): Promise<Session> {
  return api.post<Session>('password', { token, password });
}

/** Other browsers are signed out. @throws ApiFailure */
export function changePassword(currentPassword: string, password: string): Promise<Session> {
  return api.post<Session>('password/change', { current_password: currentPassword, password });
}
