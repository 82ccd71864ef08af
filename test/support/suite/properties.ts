/**
 * fast-check, trying the same cases in every run: a test that fails tells what has changed.
 * `PROPERTY_SEED=7 npm test -- text` tries others.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 42) });

export default fc;
