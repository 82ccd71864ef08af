/**
 * A vitest reporter that prints only what did not pass: failures in full with their output, skipped tests
 * with their reason, and a last line of totals. A file or suite that breaks outside its tests counts as one
 * failure. With an IPC channel, as from `test/run.mjs`, it sends the totals there instead, and those of each
 * file with a failure.
 */
import type { SerializedError, UserConsoleLog } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';
import { inWords, sum, type Totals } from './totals.mjs';

type Entity = TestModule | TestSuite | TestCase;

export default class SummaryReporter implements Reporter {
  #vitest: Vitest | undefined;
  readonly #printed = new Map<string, string[]>();

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onUserConsoleLog({ taskId = '', content }: UserConsoleLog): void {
    const lines = this.#printed.get(taskId) ?? [];
    this.#printed.set(taskId, [...lines, content]);
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state === 'failed') this.#reportFailure(test, errors);
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: 'passed' | 'interrupted' | 'failed',
  ): void {
    const totals: Totals = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    const failedFiles: Record<string, Totals> = {};
    for (const module of modules) {
      const ofFile: Totals = { passed: 0, failed: this.#reportBroken(module), skipped: 0 };
      for (const test of module.children.allTests()) this.#count(test, ofFile);
      if (ofFile.failed > 0) failedFiles[module.relativeModuleId] = ofFile;
      Object.assign(totals, sum(totals, ofFile));
    }
    for (const error of unhandledErrors) {
      this.#vitest?.logger.error('\nFAILED outside any test');
      this.#vitest?.logger.printError(error);
    }
    if (reason === 'interrupted') this.#vitest?.logger.error('\nThe run was interrupted.');
    if (process.send === undefined) this.#vitest?.logger.log(inWords(totals));
    else process.send({ totals, failedFiles });
  }

  #count(test: TestCase, totals: Totals): void {
    const result = test.result();
    if (result.state === 'passed') totals.passed += 1;
    else if (result.state === 'skipped') {
      totals.skipped += 1;
      const why = result.note ?? (test.options.mode === 'todo' ? 'to do' : 'no reason given');
      this.#vitest?.logger.log(`skipped: ${nameOf(test)} (${why})`);
    } else {
      totals.failed += 1;
      // The test did not finish, so it has not been reported yet.
      if (result.state === 'pending') this.#reportFailure(test, [new Error('It did not end.')]);
    }
  }

  /** Reports errors outside tests: a file that cannot be loaded, a hook that failed. */
  #reportBroken(module: TestModule): number {
    const broken = [module, ...module.children.allSuites()].filter(
      (entity) => entity.errors().length > 0,
    );
    for (const entity of broken) this.#reportFailure(entity, entity.errors());
    return broken.length;
  }

  #reportFailure(entity: Entity, errors: readonly unknown[]): void {
    const logger = this.#vitest?.logger;
    logger?.error(`\nFAILED ${nameOf(entity)}`);
    for (const error of errors) logger?.printError(error, { project: entity.project });
    const printed = this.#printed.get(entity.id) ?? [];
    if (printed.length > 0) logger?.error(`It printed:\n${printed.join('')}`);
  }
}

function nameOf(entity: Entity): string {
  if (entity.type === 'module') return entity.relativeModuleId;
  return `${entity.module.relativeModuleId} > ${entity.fullName}`;
}
