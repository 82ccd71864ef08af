/**
 * What Debian's modes between English and Spanish are taught: which readings words have in a sentence, and which
 * of several words is meant. Two constraint grammars for each mode, which cg-proc reads: one stands before the
 * tagger and knows the source, the other takes the place of the mode's own lexical selection, which changes next
 * to nothing, and chooses words of the target. They are written in tables of words and in rules; what both
 * directions need to write them is here.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryFolder, removeTemporaryFolder } from '../../process/index.ts';

const run = promisify(execFile);

/** Where the grammars have their places in a command. */
const ANALYSIS_END = /(?<=^lt-proc [^|]*)\| /;
const SELECTION = /lrx-proc -z -m '[^']*'/;

/** The texts of a mode's two grammars. */
export interface GrammarTexts {
  /** Reads the source, before the tagger. */
  source: string;
  /** Chooses words of the target. */
  target: string;
}

/** The grammars of a mode as cg-proc reads them. */
export class Grammars {
  readonly #texts: GrammarTexts;
  readonly #env: Record<string, string>;
  #folder: string | undefined;

  /** @param env of the programs */
  constructor(texts: GrammarTexts, env: Record<string, string>) {
    this.#texts = texts;
    this.#env = env;
  }

  /**
   * A pipeline's command with both grammars in it; that of a mode with other stages stays as it is. They are
   * compiled anew, in some 40 ms: whatever clears temporary folders may have taken those of the last start.
   *
   * @throws Error when cg-comp is not there, or refuses them
   */
  async into(command: string): Promise<string> {
    // One without the other would name words that the dictionary does not have.
    if (!ANALYSIS_END.test(command) || !SELECTION.test(command)) return command;
    const before = this.#folder;
    const folder = await createTemporaryFolder('grammars');
    this.#folder = folder;
    // The processes of the last start have read theirs.
    if (before !== undefined) await removeTemporaryFolder(before);
    const [source, target] = await Promise.all([
      this.#compiled(this.#texts.source, path.join(folder, 'source')),
      this.#compiled(this.#texts.target, path.join(folder, 'target')),
    ]);
    return command
      .replace(ANALYSIS_END, `| cg-proc -z '${source}' | `)
      .replace(SELECTION, `cg-proc -z -1 '${target}'`);
  }

  async close(): Promise<void> {
    if (this.#folder !== undefined) await removeTemporaryFolder(this.#folder);
  }

  async #compiled(grammar: string, file: string): Promise<string> {
    await writeFile(`${file}.cg3`, grammar);
    await run('cg-comp', [`${file}.cg3`, `${file}.bin`], { env: this.#env, timeout: 10_000 });
    return `${file}.bin`;
  }
}

/** Where sentences end. */
export const DELIMITERS = 'DELIMITERS = "<.>" "<!>" "<?>" ;\n';

/** A rule for a word in small letters, and for one with a capital. */
export function inBothSizes(ruleOf: (sized: (word: string) => string) => string): string {
  return `${ruleOf((word) => word)}\n${ruleOf(capital)}`;
}

/**
 * Each word in small letters and with a capital, rather than in whatever letters: only rules for known words are
 * found by an index, and others are tried on every word of a text, which takes three times as long.
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

/** A set of words as they are written. */
export function anyOf(words: string): string {
  return wordsOf(words)
    .map((word) => `("<${word}>"i)`)
    .join(' OR ');
}

/** What stands in a `LIST` of lemmas. */
export function lemmasOf(words: string): string {
  return wordsOf(words)
    .map((word) => `"${word}"i`)
    .join(' ');
}

export const wordsOf = (words: string): string[] => words.trim().split(/\s+/);

/** The entries of a table: what is said in the source, and in the target. */
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
 * Translates whole phrases. The first word of a phrase becomes an adverb that no dictionary has, the other words
 * go, and the grammar of the target replaces what is left. `^` before a phrase restricts it to the beginning of
 * a sentence (the set `BEGINS` of the grammar), `$` behind it to the end; `_` joins words that the dictionary has as one.
 *
 * @param table phrases as {@link entriesOf} reads them
 */
export function phraseRules(table: string): { source: string[]; target: string[] } {
  const source: string[] = [];
  const target: string[] = [];
  const gone = new Map<string, string[]>();
  for (const [phrase, translation] of entriesOf(table)) {
    const words = wordsOf(phrase.replaceAll(/[\^$]/g, '')).map((word) => word.replaceAll('_', ' '));
    const [first = '', ...others] = words;
    const key = `${words.join('=').replaceAll(' ', '=')}=`;
    const conditions = others.map((word, index) => `(${index + 1} ("<${word}>"i))`);
    if (phrase.startsWith('^')) conditions.push('(-1 BEGINS)');
    if (phrase.endsWith('$')) conditions.push(`(${others.length + 1} (sent) OR (cm))`);
    const where = conditions.length === 0 ? '' : ` IF ${conditions.join(' ')}`;
    source.push(
      inBothSizes((sized) => `APPEND ("${sized(key)}" adv) ("<${sized(first)}>")${where} ;`),
      `SELECT ("${key}"i) ;`,
    );
    others.forEach((word, index) => {
      const place = `REMCOHORT ("<${word}>"i) IF (-${index + 1}`;
      gone.set(place, [...(gone.get(place) ?? []), `("${key}"i)`]);
    });
    target.push(
      inBothSizes(
        (sized) => `SUBSTITUTE (".*"r adv) ("*${sized(translation)}") ("@${sized(key)}") ;`,
      ),
    );
  }
  // The farthest goes first: what goes changes the places of those behind it.
  const places = [...gone].sort(([one], [other]) => farAway(other) - farAway(one));
  source.push(...places.map(([place, keys]) => `${place} ${keys.join(' OR ')}) ;`));
  return { source, target };
}

const farAway = (place: string): number => Number(/\d+$/.exec(place)?.[0]);
