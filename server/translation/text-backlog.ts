/** How much text of one account may be under way: beyond, it is told to come back, and others go on. */
import { ServiceError } from '../../shared/errors.ts';

export interface TextBacklog {
  /**
   * Does work on texts of an account.
   *
   * @throws ServiceError too_many_requests while too much of the account is under way; what the work throws
   */
  during<Result>(
    accountId: string,
    texts: readonly string[],
    work: () => Promise<Result>,
  ): Promise<Result>;
}

/** @param maxLength of one account, in UTF-16 units; a single request may have more */
export function createTextBacklog({ maxLength }: { maxLength: number }): TextBacklog {
  const underWay = new Map<string, number>();
  return {
    async during(accountId, texts, work) {
      const length = texts.reduce((sum, text) => sum + text.length, 0);
      const before = underWay.get(accountId) ?? 0;
      if (before > 0 && before + length > maxLength) {
        throw new ServiceError(
          'too_many_requests',
          `More text of this account is under way than it may be: ${maxLength} characters at a time. Try again in a moment, with fewer requests at once.`,
        );
      }
      underWay.set(accountId, before + length);
      try {
        return await work();
      } finally {
        const left = (underWay.get(accountId) ?? 0) - length;
        if (left > 0) underWay.set(accountId, left);
        else underWay.delete(accountId);
      }
    },
  };
}
