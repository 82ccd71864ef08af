/**
 * The card that translates a file: one panel for each state, all of one height, so that nothing on
 * the page moves when they change.
 */
import { checkFile, endingOf, sizeText, translatedName } from './document-choice.ts';
import type { DocumentFormatOption, DocumentOptions } from './document-choice.ts';
import { documentLanguages, type DocumentLanguages } from './document-languages.ts';
import { DocumentFailure, translateDocument, type DocumentProgress } from './document-service.ts';
import { nameOf } from './language-picker.ts';
import { element } from './page-element.ts';

type Panel = 'choose' | 'ready' | 'work' | 'done' | 'failed';

interface Chosen {
  file: File;
  format: DocumentFormatOption;
}

const PANELS: readonly Panel[] = ['choose', 'ready', 'work', 'done', 'failed'];

/** Brings the card to life; it goes where the server says nothing about documents. */
export function documentCard(options: DocumentOptions | undefined): void {
  const hasLanguages = Object.keys(options?.target_languages ?? {}).length > 0;
  element('document').hidden = !hasLanguages;
  element('document-link').hidden = !hasLanguages;
  if (options !== undefined && hasLanguages) new DocumentCard(options);
}

class DocumentCard {
  readonly #formats: readonly DocumentFormatOption[];
  readonly #languages: DocumentLanguages;
  readonly #card = element('document-card');
  readonly #input = element('document-file', HTMLInputElement);
  readonly #outputs = element('document-output', HTMLSelectElement);
  readonly #bar = element('document-progress', HTMLProgressElement);
  readonly #download = element('document-download', HTMLAnchorElement);
  #chosen: Chosen | undefined;
  #stopped = new AbortController();
  #share = 0;
  /** Elements entered by what is dragged, less those that were left: a child counts as well. */
  #dragDepth = 0;

  constructor({ formats, target_languages }: DocumentOptions) {
    this.#formats = formats;
    this.#languages = documentLanguages({
      source: element('document-source', HTMLSelectElement),
      target: element('document-target', HTMLSelectElement),
      pairs: target_languages,
      onChange: () => this.#languagesChanged(),
    });
    this.#input.accept = formats
      .flatMap(({ extensions }) => extensions.map((each) => `.${each}`))
      .join(',');
    this.#listen();
  }

  #listen(): void {
    this.#input.addEventListener('change', () => {
      this.#take(this.#input.files ?? []);
      // The same file may be chosen again.
      this.#input.value = '';
    });
    this.#on('document-start', () => void this.#translate());
    this.#on('document-cancel', () => {
      this.#stopped.abort(new Error('Cancelled.'));
      this.#say('Cancelled.');
      this.#open('ready');
    });
    this.#on('document-retry', () => void this.#translate());
    for (const id of ['document-other', 'document-next', 'document-back']) {
      this.#on(id, () => this.#forget());
    }
    this.#card.addEventListener('dragenter', (event) => this.#drag(event, 1));
    this.#card.addEventListener('dragleave', (event) => this.#drag(event, -1));
    this.#card.addEventListener('dragover', (event) => event.preventDefault());
    this.#card.addEventListener('drop', (event) => {
      event.preventDefault();
      this.#dragDepth = 0;
      this.#card.classList.remove('is-target');
      if (!this.#isBusy) this.#take(event.dataTransfer?.files ?? []);
    });
    // A file that misses the card must not take the place of the page.
    for (const type of ['dragover', 'drop'] as const) {
      addEventListener(type, (event) => event.preventDefault());
    }
  }

  get #isBusy(): boolean {
    return !element('document-work').hidden;
  }

  #on(id: string, listener: () => void): void {
    element(id, HTMLButtonElement).addEventListener('click', listener);
  }

  #drag(event: DragEvent, step: 1 | -1): void {
    if (event.dataTransfer?.types.includes('Files') !== true || this.#isBusy) return;
    event.preventDefault();
    this.#dragDepth = Math.max(0, this.#dragDepth + step);
    this.#card.classList.toggle('is-target', this.#dragDepth > 0);
  }

  #take(files: ArrayLike<File>): void {
    const file = files[0];
    if (file === undefined) return;
    if (files.length > 1) {
      this.#fail('One file at a time, please.', { file });
      return;
    }
    const check = checkFile(file, this.#formats);
    if ('problem' in check) {
      this.#fail(check.problem, { file });
      return;
    }
    this.#chosen = { file, format: check.format };
    const ending = endingOf(file.name);
    const own = check.format.extensions.includes(check.format.outputs[0] ?? '');
    const outputs = check.format.outputs.map((output, index) => {
      const value = own && index === 0 ? ending : output;
      return new Option(`As ${value.toUpperCase()}`, value);
    });
    this.#outputs.replaceChildren(...outputs);
    this.#outputs.hidden = outputs.length < 2;
    this.#describe(file);
    this.#open('ready');
  }

  #describe(file: File): void {
    for (const part of this.#card.querySelectorAll('[data-file]')) {
      if (part instanceof HTMLElement && part.dataset['file'] === 'name') {
        part.textContent = file.name;
        part.title = file.name;
      } else if (part instanceof HTMLElement && part.dataset['file'] === 'size') {
        part.textContent = sizeText(file.size);
      } else {
        part.textContent = endingOf(file.name).toUpperCase() || '?';
      }
    }
    this.#nameTarget();
  }

  #nameTarget(): void {
    element('document-start').textContent = `Translate into ${nameOf(this.#languages.target)}`;
  }

  /** What was translated was so into another language. */
  #languagesChanged(): void {
    this.#nameTarget();
    if (this.#chosen !== undefined && !this.#isBusy) this.#open('ready');
  }

  async #translate(): Promise<void> {
    if (this.#chosen === undefined) return;
    const { file } = this.#chosen;
    const { source, target } = this.#languages;
    const output = this.#outputs.value;
    const stopped = (this.#stopped = new AbortController());
    this.#share = 0;
    this.#progress({ step: 'sending', share: 0 });
    this.#open('work');
    try {
      const result = await translateDocument(
        { file, source, target, output },
        { onProgress: (progress) => this.#progress(progress), signal: stopped.signal },
      );
      this.#finish(result, translatedName(file.name, target, output));
    } catch (error) {
      if (stopped.signal.aborted) return;
      const message = error instanceof DocumentFailure ? error.message : undefined;
      this.#fail(message ?? 'Something went wrong. Please try again.', { file, canRetry: true });
    }
  }

  #progress(progress: DocumentProgress): void {
    // What is left is estimated, and the estimate may grow: the bar does not go back.
    this.#share = Math.max(this.#share, progress.share);
    this.#bar.value = this.#share;
    const words = wordsFor(progress);
    element('document-percent').textContent = `${Math.floor(this.#share * 100)} %`;
    const line = element('document-step');
    if (line.textContent !== words) line.textContent = words;
    this.#say(spokenFor(progress));
  }

  #finish(result: Blob, name: string): void {
    URL.revokeObjectURL(this.#download.href);
    // The server gives it once; here it can be had as often as one likes.
    this.#download.href = URL.createObjectURL(result);
    this.#download.download = name;
    const shown = element('document-result');
    shown.textContent = name;
    shown.title = name;
    element('document-result-size').textContent = sizeText(result.size);
    this.#say(`${name} is ready.`);
    this.#open('done');
  }

  #fail(message: string, { file, canRetry = false }: { file: File; canRetry?: boolean }): void {
    this.#describe(file);
    if (!canRetry) this.#chosen = undefined;
    element('document-problem').textContent = message;
    element('document-retry').hidden = !canRetry;
    this.#say(message);
    this.#open('failed');
  }

  #forget(): void {
    this.#chosen = undefined;
    this.#say('');
    this.#open('choose');
  }

  /** Shows a panel; whoever was in the one before is taken along. */
  #open(panel: Panel): void {
    const before = this.#card.contains(document.activeElement);
    for (const each of PANELS) element(`document-${each}`).hidden = each !== panel;
    this.#languages.disable(panel === 'work');
    this.#card.dataset['state'] = panel;
    const first = element(`document-${panel}`).querySelector<HTMLElement>(
      '[data-first]:not([hidden])',
    );
    if (before) first?.focus({ preventScroll: true });
  }

  /** For those who listen: a step once, not every second of it. */
  #say(text: string): void {
    const said = element('document-said');
    if (said.textContent !== text) said.textContent = text;
  }
}

function wordsFor(progress: DocumentProgress): string {
  switch (progress.step) {
    case 'sending':
      return 'Sending…';
    case 'waiting':
      return 'Waiting for its turn…';
    case 'translating':
      return `About ${durationText(progress.secondsLeft)} left`;
    case 'fetching':
      return 'Fetching the translation…';
  }
}

function spokenFor({ step }: DocumentProgress): string {
  return step === 'translating' ? 'Translating…' : step === 'waiting' ? 'Waiting…' : 'Sending…';
}

function durationText(seconds: number): string {
  if (seconds < 2) return 'a second';
  if (seconds < 90) return `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
