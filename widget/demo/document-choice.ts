/** Which file may be translated, and into what: what the server says, held against what was chosen. */

/** Part of the answer of `GET /demo/options`. */
export interface DocumentOptions {
  /** Languages into which those of each source are translated. */
  target_languages: Record<string, string[]>;
  formats: DocumentFormatOption[];
}

export interface DocumentFormatOption {
  extensions: string[];
  outputs: string[];
  max_bytes: number;
}

/** A file that the server takes, or why it does not. */
export type FileCheck = { format: DocumentFormatOption } | { problem: string };

/** Holds a file against what the server takes, before anything is sent. */
export function checkFile(file: File, formats: readonly DocumentFormatOption[]): FileCheck {
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

/** `report.docx` in Spanish: `report.es.docx`. */
export function translatedName(name: string, target: string, output: string): string {
  const ending = endingOf(name);
  const stem = ending === '' ? name : name.slice(0, -ending.length - 1);
  return `${stem}.${target}.${output}`;
}

/** Ending of a name without its dot, lower case; empty when there is none. */
export function endingOf(name: string): string {
  return /[^.]\.([^.\s]{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** A size for people: `312 KB`, `4.2 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const isLarge = bytes >= 999_500;
  const value = bytes / (isLarge ? 1_000_000 : 1_000);
  const digits = value < 9.95 && !Number.isInteger(value) ? 1 : 0;
  return `${value.toFixed(digits)} ${isLarge ? 'MB' : 'KB'}`;
}

function listOf(formats: readonly DocumentFormatOption[]): string {
  const endings = formats.map(({ extensions }) => extensions[0] ?? '');
  return `${endings.slice(0, -1).join(', ')} or ${endings.at(-1) ?? ''}`;
}
