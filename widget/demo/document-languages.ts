/** The two lists of languages of a document: what is possible in one depends on the other. */
import { nameOf } from './language-picker.ts';

export interface DocumentLanguages {
  /** Empty: detected. */
  readonly source: string;
  readonly target: string;
  /** Keeps them as they are while a document is translated. */
  disable(isDisabled: boolean): void;
}

const FIRST_TARGET = 'es';

/** Fills both lists; `onChange` is called when a person has chosen. */
export function documentLanguages({
  source,
  target,
  pairs,
  onChange,
}: {
  source: HTMLSelectElement;
  target: HTMLSelectElement;
  /** Targets of each source. */
  pairs: Readonly<Record<string, readonly string[]>>;
  onChange: () => void;
}): DocumentLanguages {
  const offerTargets = (): void => {
    const wanted = target.value || FIRST_TARGET;
    const all = new Set(Object.values(pairs).flat());
    const tags = source.value === '' ? [...all] : [...(pairs[source.value] ?? [])];
    target.replaceChildren(...optionsOf(tags));
    target.value = tags.includes(wanted) ? wanted : (target.options[0]?.value ?? '');
  };
  source.replaceChildren(new Option('Detect language', ''), ...optionsOf(Object.keys(pairs)));
  offerTargets();
  source.addEventListener('change', () => {
    offerTargets();
    onChange();
  });
  target.addEventListener('change', onChange);
  return {
    get source() {
      return source.value;
    },
    get target() {
      return target.value;
    },
    disable(isDisabled) {
      source.disabled = isDisabled;
      target.disabled = isDisabled;
    },
  };
}

function optionsOf(tags: readonly string[]): HTMLOptionElement[] {
  const named = tags.map((tag) => ({ tag, name: nameOf(tag) }));
  named.sort((a, b) => a.name.localeCompare(b.name));
  return named.map(({ tag, name }) => new Option(name, tag));
}
