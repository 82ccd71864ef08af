/** SubRip subtitles. */
import type { DocumentFormat } from '../format.ts';
import { createSubtitleFormat } from './subtitles.ts';

export const srt: DocumentFormat = createSubtitleFormat('srt');
