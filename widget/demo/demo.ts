/** Demo page: its choices come from the server, its captions from the element. */
import { VoiceCaptions } from '../voice-captions.ts';
import { languageText } from '../page/language-text.ts';
import { copyText } from '../page/handing-over.ts';
import { documentCard, type DocumentOptions } from './document-card.ts';
import { element } from './page-element.ts';
import { embedSnippets } from './snippet.ts';

/** A pair translated by rules alone: the models that would improve it, and their approximate size. */
interface BetterTranslation {
  source: string;
  target: string;
  models: string[];
  size_mb: number;
}

/** Answer of `GET /demo/options`. */
interface DemoOptions {
  source_languages: string[];
  target_languages: string[];
  /** Languages available as speech; absent from older servers. */
  speech_languages?: string[];
  /** Voice of each language; absent from older servers. */
  voices?: Record<string, string>;
  sample: boolean;
  /** Absent from older servers. */
  documents?: DocumentOptions;
  /** Absent from older servers. */
  better_translations?: BetterTranslation[];
  problems: string[];
}

const captions = element('captions', VoiceCaptions);

showWhenLive();
void showOptions().finally(() => delete element('main').dataset.waiting);
offerCopies();

/** Scrolls to the captions on a start only: on a phone they may begin below the edge of the screen. */
function showWhenLive(): void {
  let isNew = true;
  captions.addEventListener('vc-statechange', ({ detail }) => {
    if (detail.state !== 'live' || !isNew) return;
    isNew = false;
    captions.scrollIntoView({ block: 'nearest' });
  });
  captions.addEventListener('vc-end', () => (isNew = true));
}

async function showOptions(): Promise<void> {
  const options = await fetchOptions();
  showProblems(options.problems);
  documentCard(options.documents);
  const form = element('choices', HTMLFormElement);
  const sourceChoice = element('source-language', HTMLSelectElement);
  languagePicker({
    form,
    source: sourceChoice,
    targets: element('targets'),
    limit: element('limit'),
    hearing: element('hearing'),
    speech: element('speech-language', HTMLSelectElement),
    sourceLanguages: options.source_languages,
    targetLanguages: options.target_languages,
    speechLanguages: options.speech_languages ?? [],
    pairs: options.documents?.target_languages,
    onChange: ({ source, targets, speech }) => {
      captions.sourceLanguage = source;
      captions.targetLanguages = targets.join(' ');
      captions.speech = speech;
      showVoice(speech, options.voices?.[speech]);
      showSnippets();
      const offers = options.better_translations ?? [];
      showBetterTranslation(element('better'), offers, { source, targets });
    },
  });
  sampleButton({
    captions,
    button: element('sample', HTMLButtonElement),
    note: element('sample-note'),
    isAvailable: options.sample,
    isHeard: options.source_languages.includes(SAMPLE_LANGUAGE),
    chooseLanguage() {
      if (sourceChoice.value === SAMPLE_LANGUAGE) return;
      sourceChoice.value = SAMPLE_LANGUAGE;
      form.dispatchEvent(new Event('change'));
    },
  });
}

async function fetchOptions(): Promise<DemoOptions> {
  const response = await fetch('demo/options').catch(() => undefined);
  if (response?.ok === true) return (await response.json()) as DemoOptions;
  return {
    source_languages: ['en'],
    target_languages: ['es'],
    sample: false,
    problems: ['The server does not answer. Reload the page when it is back.'],
  };
}

function showProblems(problems: readonly string[]): void {
  element('problems').hidden = problems.length === 0;
  element('problem-list').replaceChildren(
    ...problems.map((problem) => {
      const item = document.createElement('li');
      item.textContent = problem;
      return item;
    }),
  );
}

/** Shows what kind of voice to expect: some sound almost human, others do not. */
function showVoice(language: string, voice: string | undefined): void {
  const note = element('voice');
  note.hidden = voice === undefined;
  note.textContent = voice === undefined ? '' : `${languageText(language)} is spoken by ${voice}.`;
}

function showSnippets(): void {
  const { page, server } = embedSnippets({
    address: new URL('.', location.href).href.replace(/\/$/, ''),
    sourceLanguage: captions.sourceLanguage,
    targetLanguages: captions.targetLanguages,
    speech: captions.speech,
  });
  showCode(element('page-code'), page);
  showCode(element('server-code'), server);
}

/** Renders each line as a block, so that a wrapped line continues indented. */
function showCode(block: HTMLElement, code: string): void {
  block.replaceChildren(
    ...code.split(/(?<=\n)/).map((text) => {
      const line = document.createElement('span');
      line.textContent = text;
      return line;
    }),
  );
}

function offerCopies(): void {
  const copyTranscript = element('copy-transcript', HTMLButtonElement);
  captions.addEventListener('vc-caption', ({ detail }) => {
    if (detail.concluded.length > 0) copyTranscript.disabled = false;
  });
  offerCopy(copyTranscript, wholeTranscript);
  for (const part of ['page', 'server']) {
    const button = element(`copy-${part}`, HTMLButtonElement);
    const code = element(`${part}-code`);
    offerCopy(button, () => code.textContent);
  }
}

/** Returns all concluded text, each language under its name if there are several. */
function wholeTranscript(): string {
  const languages = captions.transcriptLanguages;
  if (languages.length === 1) return captions.transcript(languages[0]);
  return languages
    .map((language) => `${languageText(language)}\n\n${captions.transcript(language)}`)
    .join('\n\n\n');
}

/** Copies a text at each click, and says on the button for a moment whether the browser did. */
function offerCopy(button: HTMLButtonElement, text: () => string): void {
  const label = button.textContent;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const copy = async (): Promise<void> => {
    const done = await copyText(text());
    element('said').textContent = done ? 'Copied.' : 'The browser did not allow copying.';
    button.textContent = done ? 'Copied' : 'Not copied';
    clearTimeout(timer);
    timer = setTimeout(() => (button.textContent = label), 1600);
  };
  button.addEventListener('click', () => void copy());
}

/** Most target languages of a session. */
const MAX_TARGETS = 5;
const FIRST_TARGET = 'es';
/** Language of the sample; chosen at first, if it is heard at all. */
const SAMPLE_LANGUAGE = 'en';

/** Languages chosen on the page. */
interface LanguageChoice {
  source: string;
  targets: string[];
  /** Language of translated speech, empty for none. */
  speech: string;
}

/** Fills the form with languages. Calls `onChange` at once and after every choice. */
function languagePicker({
  form,
  source,
  targets,
  limit,
  hearing,
  speech,
  sourceLanguages,
  targetLanguages,
  speechLanguages,
  pairs,
  onChange,
}: {
  form: HTMLFormElement;
  source: HTMLSelectElement;
  targets: HTMLElement;
  limit: HTMLElement;
  /** Container of the speech language select; hidden if no speech is available. */
  hearing: HTMLElement;
  speech: HTMLSelectElement;
  sourceLanguages: readonly string[];
  targetLanguages: readonly string[];
  speechLanguages: readonly string[];
  /** Target languages by source; all from each source if undefined. */
  pairs: Readonly<Record<string, readonly string[]>> | undefined;
  onChange: (choice: LanguageChoice) => void;
}): void {
  source.replaceChildren(...byName(sourceLanguages).map(optionOf));
  if (sourceLanguages.includes(SAMPLE_LANGUAGE)) source.value = SAMPLE_LANGUAGE;
  const first = targetLanguages.includes(FIRST_TARGET) ? FIRST_TARGET : targetLanguages[0];
  // The preselected language comes first, the others by name.
  const sorted = byName(targetLanguages).toSorted(
    (a, b) => Number(b === first) - Number(a === first),
  );
  const chips = sorted.map((tag) => chip({ tag, checked: tag === first }));
  targets.replaceChildren(...chips.map(({ label }) => label));
  hearing.hidden = speechLanguages.length === 0;
  speech.replaceChildren(new Option('Nothing', ''), ...byName(speechLanguages).map(optionOf));
  const choose = (event?: Event): void => {
    if (pairs !== undefined) offerOnly(pairs[source.value] ?? [], chips, speech);
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

function byName(languages: readonly string[]): string[] {
  return languages.toSorted((a, b) => languageText(a).localeCompare(languageText(b)));
}

function optionOf(tag: string): HTMLOptionElement {
  return new Option(languageText(tag), tag);
}

/** Offers only these targets, and chooses another in place of those that are no longer offered. */
function offerOnly(
  targets: readonly string[],
  chips: readonly Chip[],
  speech: HTMLSelectElement,
): void {
  let isGone = false;
  for (const { label, box } of chips) {
    label.hidden = !targets.includes(box.value);
    isGone ||= label.hidden && box.checked;
    box.checked &&= !label.hidden;
  }
  for (const option of speech.options) {
    option.hidden = option.disabled = option.value !== '' && !targets.includes(option.value);
  }
  if (speech.selectedOptions[0]?.disabled === true) speech.value = '';
  const offered = chips.filter(({ label }) => !label.hidden).map(({ box }) => box);
  if (!isGone || offered.some(({ checked }) => checked)) return;
  const next = offered.find(({ value }) => value === SAMPLE_LANGUAGE) ?? offered[0];
  if (next !== undefined) next.checked = true;
}

/** Keeps speech among the targets: choosing a speech language also checks it, within the limit of five. */
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

interface Chip {
  label: HTMLLabelElement;
  box: HTMLInputElement;
}

function chip({ tag, checked }: { tag: string; checked: boolean }): Chip {
  const label = document.createElement('label');
  label.className = 'chip';
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.name = 'target';
  box.value = tag;
  box.checked = checked;
  const name = document.createElement('span');
  name.textContent = languageText(tag);
  label.append(box, name);
  return { label, box };
}

const MODEL_COMMAND = 'npm run dragoman -- models install';

/** Shows the models that would improve the chosen pairs, and their size; hides the line if none would. */
function showBetterTranslation(
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
  const targets = wanted.map(({ target }) => languageText(target)).join(', ');
  const models = [...new Set(wanted.flatMap((each) => each.models))];
  // A model that serves two of the pairs counts once.
  const sizeMb = Math.round((first.size_mb / first.models.length) * models.length);
  const command = document.createElement('code');
  command.textContent = `${MODEL_COMMAND} ${models.join(' ')}`;
  line.replaceChildren(
    `Rules translate ${languageText(first.source)} → ${targets} here. Install neural translation, about ${sizeMb} MB: `,
    command,
  );
}

/** Labels while the sample plays, until the microphone is used again. */
const sampleLabels = {
  states: {
    connecting: { title: 'Connecting…', hint: 'The sample begins at once.' },
    live: { title: 'Listening to the sample', hint: 'It takes the same path as your voice.' },
    ended: { title: 'Ended', hint: 'The sample is over. Now try your own voice.' },
  },
};

/** Button that plays the sample aloud and through the element, for visitors without a microphone. */
function sampleButton({
  captions,
  button,
  note,
  isAvailable,
  isHeard,
  chooseLanguage,
}: {
  captions: VoiceCaptions;
  button: HTMLButtonElement;
  note: HTMLElement;
  isAvailable: boolean;
  /** Whether the server hears the sample's language. */
  isHeard: boolean;
  /** Chooses the sample's language as the spoken one. */
  chooseLanguage: () => void;
}): void {
  button.disabled = !isAvailable || !isHeard;
  if (button.disabled) {
    const why = isAvailable ? 'hears no English' : 'has no voice to speak one';
    note.textContent = `There is no sample here: this server ${why}.`;
    return;
  }
  captions.addEventListener('vc-statechange', ({ detail }) => {
    if (detail.state === 'requesting-microphone') captions.labels = {};
  });
  let loading: Promise<Blob> | undefined;
  const load = () => (loading ??= fetchSample());
  const forget = (): void => (loading = undefined);
  // Preloaded before the click, so that the sound begins while the click still permits it.
  for (const hint of ['pointerenter', 'focus']) {
    button.addEventListener(hint, () => void load().catch(forget), { once: true });
  }
  button.addEventListener('click', () => {
    if (button.ariaDisabled !== null) return;
    // Not disabled: a disabled button loses the focus and the keyboard's position.
    button.ariaDisabled = 'true';
    load()
      .then((sample) => play(captions, sample, chooseLanguage))
      .catch(() => {
        forget();
        note.textContent = 'The sample could not be loaded. Please try again.';
      })
      .finally(() => button.removeAttribute('aria-disabled'));
  });
}

async function fetchSample(): Promise<Blob> {
  const response = await fetch('demo/sample.wav');
  if (!response.ok) throw new Error(`The sample was answered with ${response.status}.`);
  return response.blob();
}

/** Plays the sample. Resolves when it has ended or was stopped. */
async function play(
  captions: VoiceCaptions,
  sample: Blob,
  chooseLanguage: () => void,
): Promise<void> {
  await captions.stop();
  chooseLanguage();
  captions.source = sample;
  captions.audible = true;
  captions.labels = sampleLabels;
  const ended = new Promise((resolve) =>
    captions.addEventListener('vc-end', resolve, { once: true }),
  );
  captions.start();
  await ended;
  captions.source = 'microphone';
  captions.audible = false;
}
