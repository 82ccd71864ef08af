import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { textDirection } from '../../shared/language.ts';
import type { CaptionLine, CaptionTrack } from '../transcript-state.ts';
import type { SpokenLines } from '../spoken-lines.ts';
import { speechIcons } from './icons.ts';
import { languageName } from './language-name.ts';

/** Sentences one can scroll back to: some minutes of talking. */
const KEPT_LINES = 40;

/**
 * The captions of one language: a name and a block of fixed height, which scrolls.
 *
 * @param lines those of the track that are to be seen
 * @param spoken lines that are being heard
 * @param sound whether this language is spoken aloud, or would be; undefined when it is not to be
 * @param onScroll told when the block is scrolled
 * @param original word that marks the spoken language
 * @param empty what stands in the block before the first word
 */
export function trackView({
  track,
  lines,
  spoken,
  sound,
  onScroll,
  original,
  empty,
}: {
  track: CaptionTrack;
  lines: readonly CaptionLine[];
  spoken: SpokenLines | undefined;
  sound: 'on' | 'off' | undefined;
  onScroll: (event: Event) => void;
  original: string;
  empty: TemplateResult | typeof nothing;
}): TemplateResult {
  const { kind, language } = track;
  const rows = lines.slice(-KEPT_LINES);
  const name = languageName(language);
  return html`<div
    part="track ${kind}"
    class="track ${kind}"
    role="group"
    aria-label=${name}
    dir=${textDirection(language)}
  >
    <div part="label" class="label" aria-hidden="true">
      <bdi lang=${language}>${name}</bdi>
      ${kind === 'source' ? html`<bdi class="original">${original}</bdi>` : nothing}
      ${sound === undefined ? nothing : speechIcons[sound]}
    </div>
    <div part="lines" class="lines" @scroll=${onScroll}>
      <div class="flow">
        ${
          rows.length === 0
            ? empty
            : repeat(
                rows,
                ({ id }) => id,
                (line) => lineView(line, isSpoken(line, spoken)),
              )
        }
      </div>
    </div>
  </div>`;
}

function isSpoken({ id }: CaptionLine, spoken: SpokenLines | undefined): boolean {
  return spoken !== undefined && id >= spoken.first && id <= spoken.last;
}

function lineView(
  { language, concluded, tentative }: CaptionLine,
  spoken: boolean,
): TemplateResult {
  // A blank between the two belongs to neither's underline.
  const words = tentative.trimStart();
  const blank = tentative.slice(0, tentative.length - words.length);
  return html`<p
    part="caption ${spoken ? 'spoken' : ''}"
    class="caption ${spoken ? 'spoken' : ''}"
    lang=${language}
    dir=${textDirection(language)}
  >
    ${html`<span part="concluded">${concluded}${blank}</span>`}${
      words === ''
        ? nothing
        : html`<span part="tentative" class="tentative" aria-hidden="true">${words}</span>`
    }
  </p>`;
}
