/**
 * Loaded into a server under measurement with `NODE_OPTIONS=--import`: answers, on the Unix socket
 * that PROBE_SOCKET names, how much processor time the process has used, how late its event loop was, how
 * long its turns were and how much memory it needs. Asked one word a line: `cpu`, `watch-loop`, `loop`,
 * `watch-turns`, `turns`, `memory`.
 * Answers one JSON value a line.
 */
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const path = process.env.PROBE_SOCKET;
// Not for the processes that the server starts.
delete process.env.PROBE_SOCKET;
delete process.env.NODE_OPTIONS;

/** Interval of the timer whose lateness is measured, in ms. */
const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

/** @type {Record<string, () => unknown>} */
const answers = {
  /** Processor time since the start of the process, in µs. */
  cpu: () => processorUs(),
  'watch-loop': () => {
    delay.reset();
    return delay.enable();
  },
  /** Lateness since `watch-loop`, in ms; ends the watch, which costs processor time itself. */
  loop: () => {
    delay.disable();
    const lateMs = (/** @type {number} */ ns) => Math.max(0, ns / 1e6 - RESOLUTION_MS);
    return {
      p50Ms: lateMs(delay.percentile(50)),
      p99Ms: lateMs(delay.percentile(99)),
      longestMs: lateMs(delay.max),
    };
  },
};

/** How many of the longest turns are told. */
const LONGEST = 200;
/** While turns are watched, in µs. */
let turns = { areWatched: false, before: { cpuUs: 0, wallUs: 0 }, longestUs: [0] };

function processorUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * The processor time of the thread: other processes that run meanwhile do not count. Before Node 23.9 that
 * of the process, with what its other threads do; no more than the time that has passed.
 */
function timesUs() {
  const { threadCpuUsage } = /** @type {{ threadCpuUsage?: typeof process.cpuUsage }} */ (process);
  const { user, system } = threadCpuUsage?.() ?? process.cpuUsage();
  return { cpuUs: user + system, wallUs: performance.now() * 1_000 };
}

function watchTurn() {
  if (!turns.areWatched) return;
  const now = timesUs();
  const { before, longestUs } = turns;
  longestUs.push(Math.min(now.cpuUs - before.cpuUs, now.wallUs - before.wallUs));
  if (longestUs.length > 20 * LONGEST) keepLongest();
  turns.before = timesUs();
  setImmediate(watchTurn);
}

function keepLongest() {
  turns.longestUs.sort((a, b) => b - a).splice(LONGEST);
}

/** Starts to watch how long each turn of the event loop takes: it is busy with that. */
answers['watch-turns'] = () => {
  turns = { areWatched: true, before: timesUs(), longestUs: [] };
  setImmediate(watchTurn);
};

/** The longest turns since `watch-turns`, in ms, longest first; ends the watch, which takes the processor. */
answers['turns'] = () => {
  turns.areWatched = false;
  keepLongest();
  return turns.longestUs.map((us) => us / 1_000);
};

/** Resident memory, in bytes, once garbage is collected: what a start leaves behind is more than its readers take. */
answers['memory'] = () => {
  setFlagsFromString('--expose-gc');
  const collect = /** @type {() => void} */ (runInNewContext('gc'));
  // What the first finds free, the second gives back.
  collect();
  collect();
  return process.memoryUsage.rss();
};

if (path !== undefined) {
  createServer((socket) => {
    socket.unref();
    socket.setEncoding('utf8').on('data', (text) => {
      const answer = answers[String(text).trim()]?.();
      socket.write(`${JSON.stringify(answer ?? null)}\n`);
    });
    socket.on('error', () => socket.destroy());
    // Whoever measures is gone, perhaps by Ctrl+C: nobody else would stop this server.
    socket.on('close', () => process.kill(process.pid, 'SIGTERM'));
  })
    .listen(path)
    .unref();
}
