/** What text, web pages and subtitles cost, up to the largest that are taken. */
import { sentences } from '../sentences.ts';
import type { DocumentKind } from './measure.ts';

const KB = 1000;

/** As many pieces as fit, each made with its number. */
function filled(sizeBytes: number, piece: (n: number) => string): string {
  const pieces: string[] = [];
  for (let size = 0, n = 0; ; n += 1) {
    const next = piece(n);
    size += Buffer.byteLength(next);
    if (size > sizeBytes) return pieces.join('');
    pieces.push(next);
  }
}

const sentence = (n: number) => `${n}. ${sentences[n % sentences.length] ?? ''}`;

const plainText = {
  maxBytes: KB ** 2,
  make: (sizeBytes: number) => filled(sizeBytes, (n) => `${sentence(n)}\n`),
};

const page = {
  maxBytes: 5 * KB ** 2,
  make: (sizeBytes: number) =>
    filled(sizeBytes, (n) =>
      // Some times as much markup as text: the characters that may be in a page end before its bytes.
      [
        `<div class="entry entry-${n}" style="${'margin: 0 auto; '.repeat(50)}"><h2><a href="/entries/${n}" title="${n}">`,
        `${sentence(n)}</a></h2>\n  <p>${sentence(n + 1)} <b>${sentence(n + 2)}</b></p>\n</div>\n`,
      ].join(''),
    ),
};

const time = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(11, 19)},000`;

const subtitles = {
  maxBytes: 150 * KB,
  make: (sizeBytes: number) =>
    filled(sizeBytes, (n) => `${n + 1}\n${time(n * 3)} --> ${time(n * 3 + 2)}\n${sentence(n)}\n\n`),
};

export const textKinds: readonly DocumentKind[] = [
  { name: 'txt', format: 'txt', make: made(plainText), hasContainer: false },
  { name: 'html', format: 'html', make: made(page), hasContainer: false },
  { name: 'srt', format: 'srt', make: made(subtitles), hasContainer: false },
];

function made({ make, maxBytes }: typeof plainText) {
  return (share: number) => make(maxBytes * share);
}
