/** The demo page: what it offers comes from the server, what it shows from the element. */
import { VoiceCaptions } from '../define.ts';
import { languagePicker } from './language-picker.ts';
import { sampleButton } from './sample.ts';
import { embedSnippet } from './snippet.ts';

/** Answer of `GET /demo/options`. */
interface DemoOptions {
  source_languages: string[];
  target_languages: string[];
  sample: boolean;
  problems: string[];
}

const captions = element('captions', VoiceCaptions);

captions.addEventListener('vc-statechange', ({ detail }) => {
  // On a phone the captions may begin below the edge of the screen.
  if (detail.state === 'live') captions.scrollIntoView({ block: 'nearest' });
});
void showOptions();
offerCopies();

async function showOptions(): Promise<void> {
  const options = await fetchOptions();
  showProblems(options.problems);
  languagePicker({
    form: element('choices', HTMLFormElement),
    source: element('source-language', HTMLSelectElement),
    targets: element('targets'),
    limit: element('limit'),
    sourceLanguages: options.source_languages,
    targetLanguages: options.target_languages,
    onChange: ({ source, targets }) => {
      captions.sourceLanguage = source;
      captions.targetLanguages = targets.join(' ');
      showSnippet();
    },
  });
  sampleButton({
    captions,
    button: element('sample', HTMLButtonElement),
    note: element('sample-note'),
    isAvailable: options.sample,
  });
}

async function fetchOptions(): Promise<DemoOptions> {
  const response = await fetch('/demo/options').catch(() => undefined);
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

function showSnippet(): void {
  element('snippet').textContent = embedSnippet({
    origin: location.origin,
    sourceLanguage: captions.sourceLanguage,
    targetLanguages: captions.targetLanguages,
  });
}

function offerCopies(): void {
  const copyTranscript = element('copy-transcript', HTMLButtonElement);
  captions.addEventListener('vc-caption', ({ detail }) => {
    if (detail.concluded.length > 0) copyTranscript.disabled = false;
  });
  copyTranscript.addEventListener('click', () => void copy(copyTranscript, captions.transcript()));
  const copySnippet = element('copy-snippet', HTMLButtonElement);
  copySnippet.addEventListener(
    'click',
    () => void copy(copySnippet, element('snippet').textContent),
  );
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  const label = button.textContent;
  // Without a secure page there is no clipboard.
  const done = await Promise.resolve()
    .then(() => navigator.clipboard.writeText(text))
    .then(
      () => true,
      () => false,
    );
  element('said').textContent = done ? 'Copied.' : 'The browser did not allow copying.';
  if (!done) return;
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = label), 1600);
}

function element<Kind extends HTMLElement>(
  id: string,
  kind: abstract new () => Kind = HTMLElement as never,
): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no #${id}.`);
}
