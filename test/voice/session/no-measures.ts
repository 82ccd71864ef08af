import type { VoiceMeasures } from '../../../server/voice/path/measures.ts';

/** Measures nothing. */
export const noMeasures: VoiceMeasures = {
  sessionOpened: () => undefined,
  sessionEnded: () => undefined,
  connectionDropped: () => undefined,
  connectionResumed: () => undefined,
  audioReceived: () => undefined,
  recognitionLagged: () => undefined,
  captionsChanged: () => undefined,
  segmentConcluded: () => undefined,
  updatesDropped: () => undefined,
  watchQueue: () => () => undefined,
  watchHearing: () => undefined,
  watchCluster: () => undefined,
  sessionRefused: () => undefined,
};
