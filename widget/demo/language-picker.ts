/** Most languages one session translates into. */
const MAX_TARGETS = 5;
const FIRST_TARGET = 'es';

/** Languages chosen on the page. */
export interface LanguageChoice {
  source: string;
  targets: string[];
  /** The one that is heard, empty for none. */
  speech: string;
}

/** Fills the form with languages and tells every choice, the first one at once. */
export function languagePicker({
  form,
  source,
  targets,
  limit,
  hearing,
  speech,
  sourceLanguages,
  targetLanguages,
  speechLanguages,
  onChange,
}: {
  form: HTMLFormElement;
  source: HTMLSelectElement;
  targets: HTMLElement;
  limit: HTMLElement;
  /** Holds what chooses the language that is heard; hidden while there is none. */
  hearing: HTMLElement;
  speech: HTMLSelectElement;
  sourceLanguages: readonly string[];
  targetLanguages: readonly string[];
  speechLanguages: readonly string[];
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
  hearing.hidden = speechLanguages.length === 0;
  const heard = speechLanguages.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
  speech.replaceChildren(
    new Option('Nothing', ''),
    ...heard.map((tag) => new Option(nameOf(tag), tag)),
  );
  const choose = (event?: Event): void => {
    if (event !== undefined)
      agree(
        event.target,
        speech,
        chips.map(({ box }) => box),
      );
    const chosen = chips.filter(({ box }) => box.checked).map(({ box }) => box.value);
    const isFull = chosen.length >= MAX_TARGETS;
    for (const { box } of chips) box.disabled = isFull && !box.checked;
    limit.textContent = isFull ? `(${MAX_TARGETS} at once is the most)` : '';
    onChange({ source: source.value, targets: chosen, speech: speech.value });
  };
  form.addEventListener('change', choose);
  form.addEventListener('submit', (event) => event.preventDefault());
  choose();
}

/** What is heard is read as well: choosing one chooses the other, as far as five languages go. */
function agree(
  changed: EventTarget | null,
  speech: HTMLSelectElement,
  boxes: readonly HTMLInputElement[],
): void {
  if (changed instanceof HTMLInputElement) {
    if (!changed.checked && changed.value === speech.value) speech.value = '';
  } else if (changed === speech && speech.value !== '') {
    const box = boxes.find(({ value }) => value === speech.value);
    if (box?.checked === true) return;
    const checked = boxes.filter((each) => each.checked);
    const last = checked[MAX_TARGETS - 1];
    if (last !== undefined) last.checked = false;
    if (box !== undefined) box.checked = true;
  }
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

/** Name of a language, in English. */
export function nameOf(tag: string): string {
  const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });
  return names.of(tag) ?? tag;
}
