/** Document translation card: one panel per state, all of one height, so that a change moves nothing. */
import { acceptDrops } from '../page/file-drop.ts';
import { byName, languageText } from '../page/language-text.ts';
import { sizeText } from '../page/numbers.ts';
import { DocumentFailure, translateDocument, type DocumentProgress } from './document-service.ts';
import { element } from './page-element.ts';

/** Part of the answer of `GET /demo/options`. */
export interface DocumentOptions {
  /** Target languages of each source language. */
  target_languages: Record<string, string[]>;
  formats: DocumentFormatOption[];
}

interface DocumentFormatOption {
  extensions: string[];
  outputs: string[];
  max_bytes: number;
}

type Panel = 'choose' | 'ready' | 'work' | 'done' | 'failed';

interface Chosen {
  file: File;
  format: DocumentFormatOption;
}

const PANELS: readonly Panel[] = ['choose', 'ready', 'work', 'done', 'failed'];

/** Starts the card, or hides it if the server does not offer document translation. */
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
      // Allows the same file to be chosen again.
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
    acceptDrops(this.#card, {
      onOver: (isOver) => this.#card.classList.toggle('is-target', isOver && !this.#isBusy),
      onFiles: (files) => {
        if (!this.#isBusy) this.#take(files);
      },
    });
  }

  get #isBusy(): boolean {
    return !element('document-work').hidden;
  }

  #on(id: string, listener: () => void): void {
    element(id, HTMLButtonElement).addEventListener('click', listener);
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
    element('document-start').textContent =
      `Translate into ${languageText(this.#languages.target)}`;
  }

  /** Returns to the start panel: an earlier translation was into another language. */
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
    // The remaining time is an estimate that may grow, but the bar never moves back.
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
    // The server hands out the result once; the object URL can be downloaded repeatedly.
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

  /** Shows a panel, and moves the focus into it if it was within the card. */
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

  /** Announces a step to screen readers, once rather than at every tick. */
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

/** The format of an accepted file, or why it is not accepted. */
type FileCheck = { format: DocumentFormatOption } | { problem: string };

/** Checks a file against the server's limits before it is sent. */
function checkFile(file: File, formats: readonly DocumentFormatOption[]): FileCheck {
  const ending = endingOf(file.name);
  const format = formats.find(({ extensions }) => extensions.includes(ending));
  if (format === undefined) {
    const what = ending === '' ? 'A file without an ending' : `A .${ending} file`;
    return { problem: `${what} cannot be translated. Choose one of ${listOf(formats)}.` };
  }
  if (file.size === 0) return { problem: 'The file is empty. Choose another one.' };
  if (file.size > format.max_bytes) {
    const most = sizeText(format.max_bytes);
    return {
      problem: `The file has ${sizeText(file.size)}; a .${ending} file may have ${most}. Divide it, or make its pictures smaller.`,
    };
  }
  return { format };
}

/** Names a translated file: `report.docx` in Spanish becomes `report.es.docx`. */
function translatedName(name: string, target: string, output: string): string {
  const ending = endingOf(name);
  const stem = ending === '' ? name : name.slice(0, -ending.length - 1);
  return `${stem}.${target}.${output}`;
}

/** Returns a file name's extension in lower case, without the dot; empty if it has none. */
function endingOf(name: string): string {
  return /[^.]\.([^.\s]{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

function listOf(formats: readonly DocumentFormatOption[]): string {
  const endings = formats.map(({ extensions }) => extensions[0] ?? '');
  return `${endings.slice(0, -1).join(', ')} or ${endings.at(-1) ?? ''}`;
}

/** The two language selects, whose options depend on each other. */
interface DocumentLanguages {
  /** Source language; detected when empty. */
  readonly source: string;
  readonly target: string;
  /** Locks both selects while a document is being translated. */
  disable(isDisabled: boolean): void;
}

const FIRST_TARGET = 'es';

/** Fills both selects. Calls `onChange` when the user has chosen. */
function documentLanguages({
  source,
  target,
  pairs,
  onChange,
}: {
  source: HTMLSelectElement;
  target: HTMLSelectElement;
  /** Target languages of each source language. */
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
  return byName(tags).map((tag) => new Option(languageText(tag), tag));
}
