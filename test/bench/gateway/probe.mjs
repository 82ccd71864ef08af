/**
 * Loaded into a server under measurement with `NODE_OPTIONS=--import`: answers, on the Unix socket
 * that PROBE_SOCKET names, how much processor time the process has used, how late its event loop was and
 * how long its turns were. Asked one word a line: `cpu`, `watch-loop`, `loop`, `watch-turns`, `turns`.
 * Answers one JSON value a line.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

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
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
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

/** While turns are watched. */
let turns = { fd: -1, beforeNs: 0, longestNs: [0] };
const line = Buffer.alloc(64);

/** What the main thread has had of the processor, in ns: others that run meanwhile do not count. */
function processorNs() {
  const length = readSync(turns.fd, line, 0, line.length, 0);
  return Number(line.toString('latin1', 0, length).split(' ')[0]);
}

function watchTurn() {
  if (turns.fd === -1) return;
  const nowNs = processorNs();
  turns.longestNs.push(nowNs - turns.beforeNs);
  if (turns.longestNs.length > 4_096) turns.longestNs.sort((a, b) => b - a).splice(200);
  turns.beforeNs = nowNs;
  setImmediate(watchTurn);
}

/** Starts to watch how long each turn of the event loop takes of the processor: it is busy with that. */
answers['watch-turns'] = () => {
  turns = { fd: openSync('/proc/self/schedstat', 'r'), beforeNs: 0, longestNs: [] };
  turns.beforeNs = processorNs();
  setImmediate(watchTurn);
};

/** The longest turns since `watch-turns`, in ms, longest first; ends the watch. */
answers['turns'] = () => {
  closeSync(turns.fd);
  turns.fd = -1;
  return turns.longestNs
    .sort((a, b) => b - a)
    .slice(0, 200)
    .map((ns) => ns / 1e6);
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
