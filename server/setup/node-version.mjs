/**
 * Refuses a Node that is too old, before anything newer is touched: this file and what it imports
 * use nothing that Node 16 does not have, or an old Node would fail with a riddle instead.
 */
import { readFileSync } from 'node:fs';

/**
 * What to say to someone whose Node is too old; undefined when it will do.
 *
 * @param {string} running version of Node, such as `20.19.0`
 * @param {string} wanted `engines.node` of package.json: `>=20.19`, or `^20.19 || >=22.12` where the
 *   first minors of a later major lack what an earlier major got
 * @returns {string | undefined}
 */
export function complaintAboutNode(running, wanted) {
  const ranges = wanted.split('||').map((range) => range.trim());
  if (ranges.some((range) => isWithin(running, range))) return undefined;
  const versions = ranges.map((range) => range.replace(/^(\^|>=)/, '')).join(' or ');
  return `Dragoman needs Node ${versions} or newer; this is Node ${running}. See https://nodejs.org/en/download`;
}

/**
 * @param {string} running
 * @param {string} range
 */
function isWithin(running, range) {
  const [haveMajor = 0, haveMinor = 0] = numbersOf(running);
  const [wantMajor = 0, wantMinor = 0] = numbersOf(range);
  if (haveMajor === wantMajor) return haveMinor >= wantMinor;
  return haveMajor > wantMajor && range.startsWith('>=');
}

/** @param {string} version */
function numbersOf(version) {
  return version
    .replace(/^(\^|>=)/, '')
    .split('.')
    .map(Number);
}

/** Ends the process with a clear line when this Node is older than package.json asks for. */
export function refuseOldNode() {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const complaint = complaintAboutNode(process.versions.node, JSON.parse(manifest).engines.node);
  if (complaint === undefined) return;
  process.stderr.write(`${complaint}\n`);
  process.exit(1);
}
