import { DraftShelf } from '../parts/draft-shelf.ts';

/** The option of each chosen rule, by category and rule. */
export type ConfiguredRules = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The rules of a list that are being chosen, and what was saved. */
export class RuleDraft {
  readonly #saved: ReadonlyMap<string, string>;
  #chosen: Map<string, string>;

  constructor(saved: ConfiguredRules) {
    this.#saved = new Map(
      Object.entries(saved).flatMap(([category, rules]) =>
        Object.entries(rules).map(([rule, option]) => [keyOf(category, rule), option] as const),
      ),
    );
    this.#chosen = new Map(this.#saved);
  }

  get isChanged(): boolean {
    return this.changeCount > 0;
  }

  /** Rules that are not as they were saved. */
  get changeCount(): number {
    const keys = new Set([...this.#saved.keys(), ...this.#chosen.keys()]);
    return [...keys].filter((key) => this.#saved.get(key) !== this.#chosen.get(key)).length;
  }

  option(category: string, rule: string): string | undefined {
    return this.#chosen.get(keyOf(category, rule));
  }

  /** @param option empty for none */
  choose(category: string, rule: string, option: string): void {
    if (option === '') this.#chosen.delete(keyOf(category, rule));
    else this.#chosen.set(keyOf(category, rule), option);
  }

  discard(): void {
    this.#chosen = new Map(this.#saved);
  }

  /** As they are sent. */
  get rules(): ConfiguredRules {
    const rules: Record<string, Record<string, string>> = {};
    for (const [key, option] of this.#chosen) {
      const [category = '', rule = ''] = key.split('/');
      (rules[category] ??= {})[rule] = option;
    }
    return rules;
  }
}

/** Drafts that wait while somebody looks at another page, by the id of their list. */
export const ruleDrafts = new DraftShelf<RuleDraft>();

/** Names in the catalogue have no slash. */
function keyOf(category: string, rule: string): string {
  return `${category}/${rule}`;
}
