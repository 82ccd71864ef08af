/**
 * Progress output: one line per finished step; while a step runs, its elapsed seconds, updated in
 * place on a terminal or logged every ten seconds. Written to standard error, because standard
 * output belongs to the server.
 */

const LABEL_WIDTH = 18;

/**
 * @typedef {object} Progress
 * @property {<T>(label: string, work: () => Promise<T>) => Promise<T>} step shows work while it
 *   runs
 * @property {(text: string) => void} say prints lines between the steps
 */

/**
 * @param {object} [options]
 * @param {string} [options.heading] printed once, before the first line
 * @param {boolean} [options.quiet] omits the lines of successful steps
 * @param {number} [options.logEveryMs] interval of progress lines in a log
 * @param {Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean }} [options.stream]
 * @returns {Progress}
 */
export function createProgress({
  heading,
  quiet = false,
  logEveryMs = 10_000,
  stream = process.stderr,
} = {}) {
  /** @type {Map<string, number>} label to start time */
  const active = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let announced = heading === undefined;

  const activeText = () =>
    [...active].map(([label, startMs]) => `${label} ${seconds(startMs)}`).join(', ');
  const clear = () => void (stream.isTTY && stream.write('\r\x1b[K'));
  const draw = () => void (stream.isTTY && active.size > 0 && stream.write(`  ${activeText()} …`));
  const tick = () => {
    if (stream.isTTY) {
      clear();
      draw();
    } else {
      announce();
      stream.write(`  ${activeText()} …\n`);
    }
  };
  function announce() {
    if (!announced) stream.write(`${heading}\n`);
    announced = true;
  }
  /** @param {string} text */
  function say(text) {
    clear();
    announce();
    stream.write(`${text}\n`);
    draw();
  }
  /** @type {Progress['step']} */
  async function step(label, work) {
    const startMs = performance.now();
    if (stream.isTTY) announce();
    active.set(label, startMs);
    timer ??= setInterval(tick, stream.isTTY ? 1000 : logEveryMs);
    if (stream.isTTY) tick();
    let outcome = 'failed after ';
    try {
      const result = await work();
      outcome = '';
      return result;
    } finally {
      active.delete(label);
      if (active.size === 0) timer = void clearInterval(timer);
      if (quiet && outcome === '') clear();
      else say(`  ${label.padEnd(LABEL_WIDTH)} ${outcome}${seconds(startMs)}`);
    }
  }
  return { step, say };
}

/** @param {number} sinceMs */
function seconds(sinceMs) {
  const elapsedS = (performance.now() - sinceMs) / 1000;
  return `${elapsedS < 9.95 ? elapsedS.toFixed(1) : Math.round(elapsedS)} s`;
}
