import type { RoomChange, RoomCreation, RoomInfo } from '../../../shared/schemas/rooms.ts';

/** Requested settings of a room, as its form holds them; an empty text means unset. */
export interface RoomWishes {
  name: string;
  languages: readonly string[];
  always: readonly string[];
  sourceLanguage: string;
  access: string;
  passcode: string;
  keepHours: number;
  glossaryId: string;
  formality: string;
}

export const newRoom: RoomWishes = {
  name: '',
  languages: [],
  always: [],
  sourceLanguage: '',
  access: 'everyone',
  passcode: '',
  keepHours: 0,
  glossaryId: '',
  formality: '',
};

/** Returns the current settings of a room. */
export function wishesOf(room: RoomInfo): RoomWishes {
  return {
    name: room.name,
    languages: room.languages,
    always: room.always,
    sourceLanguage: room.source_language ?? '',
    access: room.access,
    passcode: room.passcode ?? '',
    keepHours: room.keep_hours,
    glossaryId: room.glossary_id ?? '',
    formality: room.formality ?? '',
  };
}

export function creationOf(wishes: RoomWishes): RoomCreation {
  const { name, languages, always, sourceLanguage, access, passcode, keepHours } = wishes;
  return {
    name,
    languages: [...languages],
    always: [...always],
    ...(sourceLanguage !== '' && { source_language: sourceLanguage }),
    access,
    ...(access === 'passcode' && passcode !== '' && { passcode }),
    keep_hours: keepHours,
    ...(wishes.glossaryId !== '' && { glossary_id: wishes.glossaryId }),
    ...(wishes.formality !== '' && { formality: wishes.formality }),
  };
}

/** Returns the settings that differ. */
export function differing(before: RoomWishes, wishes: RoomWishes): Partial<RoomWishes> {
  const names = Object.keys(wishes) as (keyof RoomWishes)[];
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(wishes[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, wishes[name]]));
}

/** Returns only the changed fields: sending `access`, even unchanged, makes every reader enter again. */
export function changeOf(room: RoomInfo, wishes: RoomWishes): RoomChange {
  const changed = differing(wishesOf(room), wishes);
  const hasChanged = (...fields: (keyof RoomWishes)[]) => fields.some((field) => field in changed);
  const { access, passcode } = wishes;
  const asksPasscode = access === 'passcode' && passcode !== '';
  return {
    ...(hasChanged('languages', 'always') && {
      languages: [...wishes.languages],
      always: [...wishes.always],
    }),
    ...(hasChanged('sourceLanguage') && { source_language: textOrNull(wishes.sourceLanguage) }),
    ...(hasChanged('access') && { access }),
    ...(hasChanged('access', 'passcode') && asksPasscode && { passcode }),
    ...(hasChanged('keepHours') && { keep_hours: wishes.keepHours }),
    ...(hasChanged('glossaryId') && { glossary_id: textOrNull(wishes.glossaryId) }),
    ...(hasChanged('formality') && { formality: textOrNull(wishes.formality) }),
  };
}

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
