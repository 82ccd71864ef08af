/** The bidirectional algorithm (UAX #9); the package's types and its module disagree. */
import bidiModule from 'bidi-js';

type Factory = typeof bidiModule.default;

/** Levels, mirrored signs and the order in which they are seen. */
export const bidi = (bidiModule as unknown as Factory)();
