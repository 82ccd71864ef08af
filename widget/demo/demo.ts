/** The demo page: what it offers comes from the server, what it shows from the element. */
import { VoiceCaptions } from '../define.ts';
import { showBetterTranslation, type BetterTranslation } from './better-translation.ts';
import { documentCard } from './document-card.ts';
import type { DocumentOptions } from './document-choice.ts';
import { languagePicker, nameOf } from './language-picker.ts';
import { element } from './page-element.ts';
import { sampleButton } from './sample.ts';
import { embedSnippets } from './snippet.ts';

/** Answer of `GET /demo/options`. */
interface DemoOptions {
  source_languages: string[];
  target_languages: string[];
  /** Those that can be spoken; an older server does not say. */
  speech_languages?: string[];
  /** Who speaks each of them; an older server does not say. */
  voices?: Record<string, string>;
  sample: boolean;
  /** An older server does not say. */
  documents?: DocumentOptions;
  /** An older server does not say. */
  better_translations?: BetterTranslation[];
  problems: string[];
}

const captions = element('captions', VoiceCaptions);

showWhenLive();
void showOptions();
offerCopies();

/** On a phone the captions may begin below the edge of the screen; only a start may move the page. */
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
  languagePicker({
    form: element('choices', HTMLFormElement),
    source: element('source-language', HTMLSelectElement),
    targets: element('targets'),
    limit: element('limit'),
    hearing: element('hearing'),
    speech: element('speech-language', HTMLSelectElement),
    sourceLanguages: options.source_languages,
    targetLanguages: options.target_languages,
    speechLanguages: options.speech_languages ?? [],
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

/** What kind of voice is to be expected: some are hardly told from people, others from nothing else. */
function showVoice(language: string, voice: string | undefined): void {
  const note = element('voice');
  note.hidden = voice === undefined;
  note.textContent = voice === undefined ? '' : `${nameOf(language)} is spoken by ${voice}.`;
}

function showSnippets(): void {
  const { page, server } = embedSnippets({
    origin: location.origin,
    sourceLanguage: captions.sourceLanguage,
    targetLanguages: captions.targetLanguages,
    speech: captions.speech,
  });
  showCode(element('page-code'), page);
  showCode(element('server-code'), server);
}

/** Each line is a block, so that what does not fit goes on indented. */
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
  copyTranscript.addEventListener('click', () => void copy(copyTranscript, wholeTranscript()));
  for (const part of ['page', 'server']) {
    const button = element(`copy-${part}`, HTMLButtonElement);
    const code = element(`${part}-code`);
    button.addEventListener('click', () => void copy(button, code.textContent));
  }
}

/** All that was concluded, each language under its name where there are several. */
function wholeTranscript(): string {
  const languages = captions.transcriptLanguages;
  if (languages.length === 1) return captions.transcript(languages[0]);
  return languages
    .map((language) => `${nameOf(language)}\n\n${captions.transcript(language)}`)
    .join('\n\n\n');
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
