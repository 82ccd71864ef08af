/** Number of checks or tests by outcome. */

/** @typedef {{ passed: number, failed: number, skipped: number }} Totals */

/**
 * @param {Totals[]} all
 * @returns {Totals}
 */
export function sum(...all) {
  const add = (/** @type {keyof Totals} */ outcome) =>
    all.reduce((total, totals) => total + totals[outcome], 0);
  return { passed: add('passed'), failed: add('failed'), skipped: add('skipped') };
}

/**
 * Subtracts some totals from others.
 *
 * @param {Totals} all
 * @param {Totals} some
 * @returns {Totals}
 */
export function less(all, some) {
  return {
    passed: all.passed - some.passed,
    failed: all.failed - some.failed,
    skipped: all.skipped - some.skipped,
  };
}

/**
 * Formats totals as `3 passed, 0 failed, 1 skipped`.
 *
 * @param {Totals} totals
 */
export function inWords({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
