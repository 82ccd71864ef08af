/** WebVTT captions. */
import type { DocumentFormat } from '../format.ts';
import { createSubtitleFormat } from './subtitles.ts';

export const vtt: DocumentFormat = createSubtitleFormat('vtt');
