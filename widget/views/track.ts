import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { textDirection } from '../../shared/language.ts';
import type { CaptionLine, CaptionTrack } from '../transcript-state.ts';
import { languageName } from './language-name.ts';

/**
 * The captions of one language: a name and a block of fixed height.
 *
 * @param visibleLines lines of text the block has room for
 * @param original word that marks the spoken language
 * @param empty what stands in the block before the first word
 */
export function trackView({
  track,
  visibleLines,
  original,
  empty,
}: {
  track: CaptionTrack;
  visibleLines: number;
  original: string;
  empty: TemplateResult | typeof nothing;
}): TemplateResult {
  const { kind, language, shown } = track;
  // Every caption line takes at least one line of text; one more covers a line about to leave.
  const rows = shown.slice(-(visibleLines + 1));
  const name = languageName(language);
  return html`<div
    part="track ${kind}"
    class="track ${kind}"
    role="group"
    aria-label=${name}
    dir=${textDirection(language)}
  >
    <div part="label" class="label" aria-hidden="true">
      <span lang=${language}>${name}</span>
      ${kind === 'source' ? html`<span class="original">${original}</span>` : nothing}
    </div>
    <div part="lines" class="lines">
      <div class="flow">
        ${rows.length === 0 ? empty : repeat(rows, (line) => line.id, lineView)}
      </div>
    </div>
  </div>`;
}

function lineView({ language, concluded, tentative }: CaptionLine): TemplateResult {
  // A blank between the two belongs to neither's underline.
  const words = tentative.trimStart();
  const blank = tentative.slice(0, tentative.length - words.length);
  return html`<p part="caption" class="caption" lang=${language} dir=${textDirection(language)}>
    ${html`<span part="concluded">${concluded}${blank}</span>`}${
      words === ''
        ? nothing
        : html`<span part="tentative" class="tentative" aria-hidden="true">${words}</span>`
    }
  </p>`;
}
