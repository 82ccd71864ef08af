/**
 * Child processes, worker threads, containment, circuit breakers and kept files; queues, changes and aborts come
 * from `concurrency.ts` itself.
 */
export {
  createTemporaryFolder,
  encodeFrame,
  forkChild,
  forkSibling,
  FrameReader,
  FrameWriter,
  OUTLIVE_SIGNALS,
  removeTemporaryFolder,
  runtimeFiles,
  startChild,
  startWorker,
  type PipedChild,
} from './children.ts';
export { keep, placeOfTable, readKept } from './code-cache.ts';
export {
  CircuitBreakers,
  type CircuitBreakerSettings,
  type Outage,
  type Pass,
} from './concurrency.ts';
export {
  CONTAINED_PROCESSES,
  endWithParent,
  findContainment,
  HUGE_PAGES,
  SYSTEM_PATH,
  TRIAL_LIMIT_MS,
  uncontainedNotice,
  type Command,
  type Containment,
  type Uncontained,
} from './containment.ts';
export {
  HangWatch,
  hasRoom,
  killGroup,
  LimitWatch,
  processorMs,
  processTree,
  residentBytes,
  startProcessGroup,
  type ProcessGroup,
} from './supervision.ts';
export {
  createWorkerPool,
  serveAsWorker,
  startWorkerProcess,
  type FreeRequest,
  type PoolWorker,
  type ReadyNotice,
  type Wire,
  type WorkerPlace,
  type WorkerPool,
  type WorkerPort,
} from './worker-pool.ts';
