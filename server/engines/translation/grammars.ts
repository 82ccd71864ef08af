/**
 * Additional grammars for Debian's modes between English, Spanish, French, Italian and Portuguese, which choose the
 * readings of words in a sentence and between alternative translations. Each mode gets two constraint grammars for
 * cg-proc. One stands before the tagger and works on the source; the other chooses target words, in the place of the
 * mode's lexical selection, which has almost no effect, or behind the dictionary of a mode that has none. The grammars
 * are written as word tables and rules; this module holds what all directions share.
 */
import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import {
  createTemporaryFolder,
  keep,
  placeOfTable,
  readKept,
  removeTemporaryFolder,
  TRIAL_LIMIT_MS,
} from '../../process/index.ts';

const run = promisify(execFile);

const COMPILER = 'cg-comp';

/**
 * Positions in the command where the grammars are inserted; the first behind the stage that attaches marks to each
 * word, for cg-proc would leave marks behind when it moves a word.
 */
const ANALYSIS_END = /(?<=^lt-proc [^|]*\| apertium-wblank-attach )\| /;
const SELECTION = /lrx-proc -z -m '[^']*'|(?<=lt-proc -z -b '[^']*' )(?=\| apertium-transfer )/;

/** The source texts of a mode's two grammars. */
export interface GrammarTexts {
  /** Disambiguates the source, before the tagger. */
  source: string;
  /** Chooses words of the target. */
  target: string;
}

/** The compiled grammars of a mode. */
export class Grammars {
  readonly #name: string;
  readonly #texts: () => GrammarTexts;
  readonly #env: Record<string, string>;
  #folder: string | undefined;

  /**
   * @param name under which they are kept
   * @param env environment of the programs
   */
  constructor(name: string, texts: () => GrammarTexts, env: Record<string, string>) {
    this.#name = name;
    this.#texts = texts;
    this.#env = env;
  }

  /**
   * Returns a pipeline's command with both grammars inserted; a command with other stages stays unchanged.
   *
   * @throws Error when cg-comp is missing or rejects a grammar
   */
  async into(command: string): Promise<string> {
    // One grammar without the other would produce words that the dictionary does not have.
    if (!ANALYSIS_END.test(command) || !SELECTION.test(command)) return command;
    const [source, target] = await this.#compiled();
    return command
      .replace(ANALYSIS_END, () => `| cg-proc -z ${quoted(source)} | `)
      .replace(SELECTION, (stage) => `${stage === '' ? '| ' : ''}cg-proc -z -1 ${quoted(target)} `);
  }

  async close(): Promise<void> {
    if (this.#folder !== undefined) await removeTemporaryFolder(this.#folder);
  }

  /** Returns the files of both: those of an earlier process, which the same compiler has made, or new ones. */
  async #compiled(): Promise<readonly [source: string, target: string]> {
    const compiler = await identityOf(COMPILER, this.#env['PATH'] ?? '');
    const placeOf = (part: string) => placeOfTable(`${this.#name}.${part}.${compiler}`);
    const kept = [placeOf('source'), placeOf('target')] as const;
    const [source, target] = kept;
    if (source === undefined || target === undefined) return this.#compile();
    if ([source, target].every((file) => readKept(file) !== undefined)) return [source, target];
    const made = await this.#compile();
    try {
      for (const [i, file] of [source, target].entries()) keep(file, await readFile(made[i] ?? ''));
    } catch {
      // Where the product's folder cannot be written, each process compiles them itself.
    }
    return made;
  }

  /** Compiles anew each time: temporary folders may have been cleared since the last start. */
  async #compile(): Promise<readonly [source: string, target: string]> {
    const before = this.#folder;
    const folder = await createTemporaryFolder('grammars');
    this.#folder = folder;
    // The previous processes have already read their files.
    if (before !== undefined) await removeTemporaryFolder(before);
    const compile = async (grammar: string, file: string): Promise<string> => {
      await writeFile(`${file}.cg3`, grammar);
      const options = { env: this.#env, timeout: TRIAL_LIMIT_MS };
      await run(COMPILER, [`${file}.cg3`, `${file}.bin`], options);
      return `${file}.bin`;
    };
    const { source, target } = this.#texts();
    return Promise.all([
      compile(source, path.join(folder, 'source')),
      compile(target, path.join(folder, 'target')),
    ]);
  }
}

/** Quotes a path for the shell: the product may be in a folder of any name. */
function quoted(file: string): string {
  return `'${file.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns what tells a program from its other versions. */
async function identityOf(name: string, folders: string): Promise<string> {
  const files = folders.split(path.delimiter).map((folder) => path.join(folder, name));
  const found = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  const [program] = found.filter((each) => each !== undefined);
  return crc32(`${program?.size} ${program?.mtimeMs}`).toString(16);
}

/** Sentence delimiters. */
export const DELIMITERS = 'DELIMITERS = "<.>" "<!>" "<?>" ;\n';

/** Instantiates a rule for a word in lower case and for the capitalised word. */
export function inBothSizes(ruleOf: (sized: (word: string) => string) => string): string {
  return `${ruleOf((word) => word)}\n${ruleOf(capital)}`;
}

/**
 * Expands each case-insensitive word to its lower-case and capitalised forms. Only rules for literal words
 * are found through an index; all others are tried on every word of a text, which takes three times as long.
 */
export function indexed(grammar: string): string {
  return grammar
    .replace(
      /\(("[^"\n]*")i((?: [^()\n]*)?)\)/g,
      (_group, word: string, tags: string) => `(${word}${tags}) OR (${capital(word)}${tags})`,
    )
    .replace(/(?<= )("[^"\n]*")i(?= )/g, (_tag, word: string) => `${word} ${capital(word)}`);
}

export function capital(word: string): string {
  return word.replace(/\p{L}/u, (letter) => letter.toUpperCase());
}

/** Returns a set of word forms. */
export function anyOf(words: string): string {
  return wordsOf(words)
    .map((word) => `("<${word}>"i)`)
    .join(' OR ');
}

/** Returns lemmas as the content of a `LIST`. */
export function lemmasOf(words: string): string {
  return wordsOf(words)
    .map((word) => `"${word}"i`)
    .join(' ');
}

export const wordsOf = (words: string): string[] => words.trim().split(/\s+/);

/**
 * Returns rules that share a tag of their target and a condition. A rule is tried on every word that has *one* of the
 * tags of its target: twenty rules for `(vblex past)` are tried twenty times on each verb. So the readings that they
 * may concern are marked first, by one rule.
 *
 * @param tag tag that the rules replace
 * @param target readings that have the tag
 * @param conditions those under which they are marked
 * @param rulesOf returns the rules: their target is `(mark)`, and they replace `(tag mark)`
 */
export function markedFirst(
  mark: string,
  tag: string,
  target: string,
  conditions: readonly string[],
  rulesOf: (replaced: string, marked: string) => string[],
): string[] {
  return [
    ...conditions.map(
      (condition) => `SUBSTITUTE (${tag}) (${tag} ${mark}) ${target} IF ${condition} ;`,
    ),
    ...rulesOf(`${tag} ${mark}`, `(${mark})`),
    `SUBSTITUTE (${tag} ${mark}) (${tag}) (${mark}) ;`,
  ];
}

/** Returns the entries of a table: source and target phrases. */
export function entriesOf(table: string): [source: string, target: string][] {
  return table
    .trim()
    .split(/,\s+/)
    .map((entry) => {
      const [source = '', target = ''] = entry.split(': ');
      return [source, target];
    });
}

/**
 * Returns rules that translate whole phrases. The source rules turn the first word of a phrase into an adverb
 * that no dictionary has and remove the others; the target rules replace that adverb by the translation.
 *
 * @param table phrases as {@link entriesOf} reads them. `^` restricts a phrase to the beginning of a sentence
 *   (the set `BEGINS` of the grammar), `$` to its end; `_` joins words that the analyser returns as one. Other
 *   phrases do not follow a determiner (the set `DET`).
 * @param kind tag of that adverb, which a mode's transfer rules leave where it is
 */
export function phraseRules(table: string, kind = 'adv'): { source: string[]; target: string[] } {
  const source: string[] = [];
  const target: string[] = [];
  /** The rules that remove the second words of phrases, the third ones and so on, with their phrases. */
  const gone: Map<string, string[]>[] = [];
  // A phrase that begins with another one comes after it, and takes its place.
  const entries = entriesOf(table).sort(([one], [other]) => one.length - other.length);
  for (const [phrase, translation] of entries) {
    const words = wordsOf(phrase.replaceAll(/[\^$]/g, '')).map((word) => word.replaceAll('_', ' '));
    const [first = '', ...others] = words;
    const key = `${words.join('=').replaceAll(' ', '=')}=`;
    const conditions = others.map((word, index) => `(${index + 1} ("<${word}>"i))`);
    // `the last year of his life` is not `last year`.
    conditions.push(phrase.startsWith('^') ? '(-1 BEGINS)' : '(NOT -1 DET)');
    if (phrase.endsWith('$')) conditions.push(`(${others.length + 1} (sent) OR (cm))`);
    source.push(
      inBothSizes(
        (sized) =>
          `APPEND ("${sized(key)}" ${kind}) ("<${sized(first)}>") IF ${conditions.join(' ')} ;`,
      ),
      `SELECT ("${key}"i) ;`,
    );
    others.forEach((word, index) => {
      const removal = `REMCOHORT ("<${word}>"i) IF (-1`;
      const same = (gone[index] ??= new Map<string, string[]>());
      same.set(removal, [...(same.get(removal) ?? []), `("${key}"i)`]);
    });
    target.push(
      inBothSizes(
        (sized) => `SUBSTITUTE (".*"r ${kind}) ("*${sized(translation)}") ("@${sized(key)}") ;`,
      ),
    );
  }
  // Nearest first: what follows a removed word goes to the word before it, but only once.
  for (const same of gone) {
    source.push(...[...same].map(([removal, keys]) => `${removal} ${keys.join(' OR ')}) ;`));
  }
  return { source, target };
}
