/**
 * Rejects an outdated Node before it loads any newer code. This file and its imports use only
 * features of Node 16; otherwise an old Node would fail with an obscure error.
 */
import { readFileSync } from 'node:fs';

/**
 * Returns a message for users of an outdated Node; undefined if the version is sufficient.
 *
 * @param {string} running version of Node, such as `20.19.0`
 * @param {string} wanted `engines.node` of package.json: `>=20.19`, or `^20.19
 *
 * >=22.12` where early minors of a later major lack a feature that was backported to an earlier
 * major
 *
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

/** Exits with a clear message when this Node is older than package.json requires. */
export function refuseOldNode() {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const complaint = complaintAboutNode(process.versions.node, JSON.parse(manifest).engines.node);
  if (complaint === undefined) return;
  process.stderr.write(`${complaint}\n`);
  process.exit(1);
}
