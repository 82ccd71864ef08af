/**
 * The captions for ears: a hidden live region that receives whole sentences of one language. Screen
 * readers speak what is added; the visible captions change too often to be a live region themselves.
 */
import { textDirection } from '../../shared/language.ts';
import type { CaptionLine } from '../transcript-state.ts';

/** Sentences are taken away again, so that nobody who walks through the page hears them twice. */
const KEPT_MS = 20_000;

/** Adds a completed sentence to a live region, for twenty seconds. */
export function announce(region: Element, line: CaptionLine): void {
  const paragraph = document.createElement('p');
  paragraph.lang = line.language;
  paragraph.dir = textDirection(line.language);
  paragraph.textContent = line.concluded.trim();
  region.append(paragraph);
  setTimeout(() => paragraph.remove(), KEPT_MS);
}
