/** Biases a decoder towards the spoken terms of a session over words that sound alike. */

/** Prefers some tokens over others. */
export interface TermBias {
  /**
   * Returns the next token after applying the preference; undefined when the terms change nothing.
   *
   * @param values logits of the next token
   * @param tokens tokens written so far
   * @param likeliest the token with the highest logit
   */
  prefer(values: Float32Array, tokens: readonly number[], likeliest: number): number | undefined;
  /** Whether a position in the tokens lies within a completed term. */
  isWithinTerm(tokens: readonly number[], place: number): boolean;
  /** Returns a bias restricted to the terms completed in `tokens`; undefined when there are none. */
  ofWritten(tokens: readonly number[]): TermBias | undefined;
}

/**
 * Bonuses added to the logit of a token that begins a term, and of one that continues a term. With higher
 * values the model writes terms that were not spoken (measured with ten names in three voices).
 */
const BEGIN = 4;
const GO_ON = 8;
/** Every token costs a search through all terms; the lists are in order of importance. */
const MAX_TERMS = 1_000;

interface Node {
  next: Map<number, Node>;
  /** Tokens of the term that ends at this node. */
  term: readonly number[] | undefined;
}

const newNode = (): Node => ({ next: new Map(), term: undefined });

/**
 * Creates the bias for a list of terms.
 *
 * @param pieces the UTF-8 bytes of each token of the model; a leading blank begins a word
 * @returns undefined when the model can write none of the terms
 */
export function createTermBias(
  spokenTerms: readonly string[],
  pieces: readonly Buffer[],
): TermBias | undefined {
  const terms = [...new Set(spokenTerms)].slice(0, MAX_TERMS);
  if (terms.length === 0) return undefined;
  const idOf = idsOf(pieces);
  const goesOn = (token: number | undefined) =>
    token !== undefined && /^\p{L}/u.test(pieces[token]?.toString('utf8') ?? '');
  return createBias(
    terms.map((term) => tokenised(` ${term.trim()}`, idOf)),
    goesOn,
  );
}

/** @param goesOn whether a token continues the word before it */
function createBias(
  terms: readonly (readonly number[])[],
  goesOn: (token: number | undefined) => boolean,
): TermBias | undefined {
  const root = newNode();
  let longest = 0;
  for (const tokens of terms) {
    longest = Math.max(longest, tokens.length);
    let node = root;
    for (const token of tokens) {
      const next = node.next.get(token) ?? newNode();
      node.next.set(token, next);
      node = next;
    }
    if (node !== root) node.term = tokens;
  }
  if (root.next.size === 0) return undefined;

  /** Returns the longest complete term that begins at a position. */
  function termFrom(tokens: readonly number[], from: number): readonly number[] | undefined {
    let term: readonly number[] | undefined;
    let node: Node | undefined = root;
    for (let place = from; node !== undefined; place += 1) {
      if (!goesOn(tokens[place])) term = node.term ?? term;
      node = node.next.get(tokens[place] ?? -1);
    }
    return term;
  }

  return {
    prefer(values, tokens, likeliest) {
      let best = likeliest;
      let most = values[likeliest] ?? -Infinity;
      const consider = (node: Node, bonus: number): void => {
        for (const token of node.next.keys()) {
          const value = (values[token] ?? -Infinity) + bonus;
          if (value <= most) continue;
          best = token;
          most = value;
        }
      };
      consider(root, BEGIN);
      for (let length = 1; length < longest && length <= tokens.length; length += 1) {
        const node = walk(root, tokens.slice(tokens.length - length));
        if (node !== undefined) consider(node, GO_ON);
      }
      return best === likeliest ? undefined : best;
    },
    isWithinTerm(tokens, place) {
      for (let from = Math.max(0, place - longest + 1); from <= place; from += 1) {
        if (from + (termFrom(tokens, from)?.length ?? 0) > place) return true;
      }
      return false;
    },
    ofWritten(tokens) {
      return createBias(
        tokens.map((_, from) => termFrom(tokens, from) ?? []),
        goesOn,
      );
    },
  };
}

function walk(root: Node, tokens: readonly number[]): Node | undefined {
  let node: Node | undefined = root;
  for (const token of tokens) node = node?.next.get(token);
  return node;
}

/** Cache of token ids; all vocabularies of one process are the same. */
const known = new WeakMap<readonly Buffer[], Map<string, number>>();

function idsOf(pieces: readonly Buffer[]): Map<string, number> {
  const found = known.get(pieces);
  if (found !== undefined) return found;
  const ids = new Map<string, number>();
  pieces.forEach((piece, id) => ids.set(piece.toString('utf8'), id));
  known.set(pieces, ids);
  return ids;
}

/**
 * Tokenises a text as the model's tokeniser does: adjacent parts are merged, each time the pair whose token
 * has the lowest id. Empty when a character of the text has no token.
 */
function tokenised(text: string, idOf: Map<string, number>): number[] {
  let parts = Array.from(text);
  if (parts.some((part) => !idOf.has(part))) return [];
  for (;;) {
    let best = Infinity;
    let at = -1;
    for (let index = 0; index + 1 < parts.length; index += 1) {
      const id = idOf.get(`${parts[index]}${parts[index + 1]}`) ?? Infinity;
      if (id < best) [best, at] = [id, index];
    }
    if (at === -1) return parts.map((part) => idOf.get(part) ?? 0);
    parts = [...parts.slice(0, at), `${parts[at]}${parts[at + 1]}`, ...parts.slice(at + 2)];
  }
}
