/** A reader's choices, stored on this device only. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';

export const themes = ['automatic', 'light', 'dark', 'strong'] as const;
export type Theme = (typeof themes)[number];

/** Choices for all rooms. */
export interface ReaderChoices {
  fontScale: number;
  theme: Theme;
  calmness: 'instant' | 'settled';
  keepAwake: boolean;
}

/** Choices for one room. */
export interface RoomChoices {
  /** `spoken`, or a language. */
  language?: string;
  /** Key that opens the room. */
  key?: string;
}

export const FONT_SCALE = { least: 0.75, most: 2.5, step: 0.125 } as const;

const first: ReaderChoices = {
  fontScale: 1,
  theme: 'automatic',
  calmness: 'instant',
  keepAwake: true,
};

const NAME = 'dragoman-reader';

export function readChoices(): ReaderChoices {
  const { fontScale, theme, calmness, keepAwake } = read<Partial<ReaderChoices>>(NAME);
  const isSize = typeof fontScale === 'number' && Number.isFinite(fontScale);
  return {
    fontScale: isSize
      ? Math.min(FONT_SCALE.most, Math.max(FONT_SCALE.least, fontScale))
      : first.fontScale,
    theme: themes.find((each) => each === theme) ?? first.theme,
    calmness: calmness === 'settled' ? calmness : first.calmness,
    keepAwake: keepAwake ?? first.keepAwake,
  };
}

export function keepChoices(choices: ReaderChoices): void {
  keep(NAME, choices);
}

export function readRoomChoices(roomId: string): RoomChoices {
  const { language, key } = read<RoomChoices>(`${NAME} ${roomId}`);
  return {
    ...(typeof language === 'string' && { language }),
    ...(typeof key === 'string' && { key }),
  };
}

export function keepRoomChoices(roomId: string, choices: RoomChoices): void {
  keep(`${NAME} ${roomId}`, choices);
}

/** Returns the first of the reader's languages that the room offers. */
export function readableLanguage(
  offered: readonly LanguageTag[],
  understood: readonly LanguageTag[],
): LanguageTag | undefined {
  for (const wanted of understood) {
    const exact = offered.find((each) => each.toLowerCase() === wanted.toLowerCase());
    const found = exact ?? offered.find((each) => baseLanguage(each) === baseLanguage(wanted));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns an empty object if the browser has no storage, as in a frame or in private mode. */
function read<Kept extends object>(name: string): Partial<Kept> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(name) ?? '{}');
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

function keep(name: string, value: object): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Without storage, the choice holds until the page is closed.
  }
}
