/** Most languages one session translates into. */
const MAX_TARGETS = 5;
const FIRST_TARGET = 'es';

/** Languages chosen on the page. */
export interface LanguageChoice {
  source: string;
  targets: string[];
}

/** Fills the form with languages and tells every choice, the first one at once. */
export function languagePicker({
  form,
  source,
  targets,
  limit,
  sourceLanguages,
  targetLanguages,
  onChange,
}: {
  form: HTMLFormElement;
  source: HTMLSelectElement;
  targets: HTMLElement;
  limit: HTMLElement;
  sourceLanguages: readonly string[];
  targetLanguages: readonly string[];
  onChange: (choice: LanguageChoice) => void;
}): void {
  source.replaceChildren(...sourceLanguages.map((tag) => new Option(nameOf(tag), tag)));
  const first = targetLanguages.includes(FIRST_TARGET) ? FIRST_TARGET : targetLanguages[0];
  // The one that is chosen comes first, the others by name.
  const sorted = targetLanguages.toSorted(
    (a, b) => Number(b === first) - Number(a === first) || nameOf(a).localeCompare(nameOf(b)),
  );
  const chips = sorted.map((tag) => chip({ tag, checked: tag === first }));
  targets.replaceChildren(...chips.map(({ label }) => label));
  const choose = (): void => {
    const chosen = chips.filter(({ box }) => box.checked).map(({ box }) => box.value);
    const isFull = chosen.length >= MAX_TARGETS;
    for (const { box } of chips) box.disabled = isFull && !box.checked;
    limit.textContent = isFull ? `(${MAX_TARGETS} at once is the most)` : '';
    onChange({ source: source.value, targets: chosen });
  };
  form.addEventListener('change', choose);
  form.addEventListener('submit', (event) => event.preventDefault());
  choose();
}

function chip({ tag, checked }: { tag: string; checked: boolean }) {
  const label = document.createElement('label');
  label.className = 'chip';
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.name = 'target';
  box.value = tag;
  box.checked = checked;
  const name = document.createElement('span');
  name.textContent = nameOf(tag);
  label.append(box, name);
  return { label, box };
}

function nameOf(tag: string): string {
  const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });
  return names.of(tag) ?? tag;
}
