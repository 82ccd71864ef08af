/** Of a pair that rules alone translate: the models that would do it better, and about their size. */
export interface BetterTranslation {
  source: string;
  target: string;
  models: string[];
  size_mb: number;
}

const names = new Intl.DisplayNames('en', { type: 'language' });
const MODEL_COMMAND = 'npm run dragoman -- models install';

/** Says in a line what better translation of the chosen pairs costs; nothing where there is none. */
export function showBetterTranslation(
  line: HTMLElement,
  offers: readonly BetterTranslation[],
  chosen: { source: string; targets: readonly string[] },
): void {
  const base = (tag: string) => tag.split('-', 1)[0];
  const wanted = offers.filter(
    ({ source, target }) =>
      source === base(chosen.source) && chosen.targets.some((each) => base(each) === target),
  );
  line.hidden = wanted.length === 0;
  const [first] = wanted;
  if (first === undefined) return;
  const targets = wanted.map(({ target }) => names.of(target) ?? target).join(', ');
  const models = [...new Set(wanted.flatMap((each) => each.models))];
  // A model that serves two of the pairs is counted once.
  const sizeMb = Math.round((first.size_mb / first.models.length) * models.length);
  const command = document.createElement('code');
  command.textContent = `${MODEL_COMMAND} ${models.join(' ')}`;
  line.replaceChildren(
    `Rules translate ${names.of(first.source) ?? first.source} → ${targets} here. Install neural translation, about ${sizeMb} MB: `,
    command,
  );
}
