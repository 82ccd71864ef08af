/**
 * Tells a person what is going on: a line for each finished step, and while a step runs its seconds,
 * counted in place on a terminal and every ten seconds in a log. Goes to standard error, because
 * standard output belongs to the server.
 */

const LABEL_WIDTH = 18;

/**
 * @typedef {object} Progress
 * @property {<T>(label: string, work: () => Promise<T>) => Promise<T>} step shows work while it runs
 * @property {(text: string) => void} say prints lines between the steps
 */

/**
 * @param {object} [options]
 * @param {string} [options.heading] printed once, before the first line
 * @param {boolean} [options.quiet] leaves no lines of steps that went well
 * @param {number} [options.logEveryMs] how often a log is told that a step goes on
 * @param {Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean }} [options.stream]
 * @returns {Progress}
 */
export function createProgress({
  heading,
  quiet = false,
  logEveryMs = 10_000,
  stream = process.stderr,
} = {}) {
  /** @type {Map<string, number>} label to its start */
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
