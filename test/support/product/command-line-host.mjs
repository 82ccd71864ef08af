/**
 * Runs the built command line repeatedly in one process, so that its modules are loaded once: the entry is
 * evaluated again for each run, with its own arguments, environment and outputs. Takes one run at a time, by
 * messages from the parent, and ends when the parent disconnects.
 */
const main = new URL('../../../dist/bundle/cli/main.js', import.meta.url).href;
const exit = process.exit.bind(process);
let runs = 0;

process.on('disconnect', () => exit());
process.on(
  'message',
  (/** @type {{ args: string[], settings: Record<string, string> }} */ told) => {
    void run(told).then((result) => process.send?.(result));
  },
);

/** @param {{ args: string[], settings: Record<string, string> }} told */
async function run({ args, settings }) {
  const said = { output: '', errors: '' };
  const restore = [
    collect(process.stdout, said, 'output'),
    collect(process.stderr, said, 'errors'),
  ];
  process.argv.splice(1, Infinity, main, ...args);
  process.env = { ...settings };
  process.exitCode = undefined;
  /** @type {number | undefined} */
  let exited;
  // Output after the exit is dropped: the error thrown to leave would otherwise be reported as a failure.
  process.exit = (code = process.exitCode ?? 0) => {
    exited ??= Number(code);
    restore.forEach((undo) => undo());
    throw new Error('exit');
  };
  runs += 1;
  await import(`${main}?run=${runs}`).catch((error) => {
    if (exited === undefined) throw error;
  });
  restore.forEach((undo) => undo());
  return { code: exited ?? process.exitCode ?? 0, ...said };
}

/**
 * Collects what is written to a stream.
 *
 * @param {NodeJS.WriteStream} stream
 * @param {Record<'output' | 'errors', string>} said
 * @param {'output' | 'errors'} where
 * @returns {() => void} stops collecting: later output is lost
 */
function collect(stream, said, where) {
  let isOpen = true;
  stream.write = (/** @type {string | Uint8Array} */ text, /** @type {unknown[]} */ ...more) => {
    if (isOpen) said[where] += typeof text === 'string' ? text : Buffer.from(text).toString();
    const done = more.findLast((each) => typeof each === 'function');
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  return () => {
    isOpen = false;
    stream.removeAllListeners('error');
  };
}
