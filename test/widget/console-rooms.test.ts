/** Input of the room pages and the requests made of it, without their pages. */
import type { LitElement } from 'lit';
import { describe, expect, it } from 'vitest';
import type { RoomInfo } from '../../shared/schemas/rooms.ts';
import { hoursText, readersText } from '../../widget/console/events/room-text.ts';
import {
  changeOf,
  creationOf,
  newRoom,
  wishesOf,
} from '../../widget/console/events/room-wishes.ts';
import { WordDraft } from '../../widget/console/events/word-draft.ts';
import { Sending } from '../../widget/console/parts/sending.ts';

const room: RoomInfo = {
  room_id: 'k7mq3xw9ab',
  name: 'Main stage',
  languages: ['es', 'fr'],
  always: [],
  access: 'passcode',
  passcode: '482913',
  keep_hours: 48,
  glossary_id: 'a glossary',
  replacements: [],
  hidden_words: [],
  paused: false,
  state: 'waiting',
  viewers: { es: 8, spoken: 3 },
  creation_time: '2026-11-24T10:00:00.000Z',
};

describe('the choices of a room form', () => {
  it('create a room with exactly these choices', () => {
    const wishes = { ...newRoom, name: 'Main stage', passcode: 'unused', languages: ['es'] };
    expect(creationOf(wishes)).toEqual({
      name: 'Main stage',
      languages: ['es'],
      always: [],
      access: 'everyone',
      keep_hours: 0,
    });
  });

  it('change only what differs, and remove what was emptied', () => {
    const before = wishesOf(room);
    expect(changeOf(room, before)).toEqual({});
    expect(changeOf(room, { ...before, glossaryId: '', sourceLanguage: 'en' })).toEqual({
      glossary_id: null,
      source_language: 'en',
    });
    expect(changeOf(room, { ...before, passcode: 'open' })).toEqual({ passcode: 'open' });
    expect(changeOf(room, { ...before, access: 'everyone' })).toEqual({ access: 'everyone' });
    expect(changeOf(room, { ...before, keepHours: 0 })).toEqual({ keep_hours: 0 });
  });
});

describe('edited words of a room', () => {
  it('are saved without blanks, empty rows and duplicates', () => {
    const draft = new WordDraft({ replacements: [], hidden_words: [] });
    draft.type(0, 'from', ' zembler ');
    draft.type(1, 'from', '');
    draft.hidden = 'damn\n\n damn';
    expect(draft.isChanged).toBe(true);
    expect(draft.words).toEqual({
      replacements: [{ from: 'zembler', to: '' }],
      hidden_words: ['damn'],
    });
    expect(draft.obstacle).toBe('');
    draft.discard();
    expect(draft.isChanged).toBe(false);
  });

  it('accept pasted lines of two columns, with tabs or arrows, in place of a row', () => {
    const draft = new WordDraft({
      replacements: [
        { from: 'a', to: 'A' },
        { from: 'b', to: 'B' },
      ],
      hidden_words: [],
    });
    draft.paste(1, 'x\tX\r\n\r\ny → Y\nz = Z');
    expect(draft.rows).toEqual([
      { from: 'a', to: 'A' },
      { from: 'x', to: 'X' },
      { from: 'y', to: 'Y' },
      { from: 'z', to: 'Z' },
    ]);
  });

  it('cannot be saved while a row has an empty or duplicate source word', () => {
    const draft = new WordDraft({ replacements: [{ from: 'a', to: 'A' }], hidden_words: [] });
    draft.type(1, 'to', 'Zembla');
    expect(draft.obstacle).toContain('“Zembla”');
    draft.type(1, 'from', 'A');
    expect(draft.obstacle).toContain('twice');
    draft.remove(1);
    expect(draft.obstacle).toBe('');
  });
});

describe('the texts of a room', () => {
  it('describe times and readers plainly', () => {
    expect([1, 36, 48, 0.5].map(hoursText)).toEqual(['1 hour', '36 hours', '2 days', '30 min']);
    expect(readersText(room)).toBe('3 as spoken, 8 Spanish');
    expect(readersText({ ...room, viewers: {} })).toBe('');
  });
});

it('a form is sent once, also if what it holds becomes wrong meanwhile', async () => {
  const host = { addController: () => undefined, requestUpdate: () => undefined };
  const sending = new Sending(host as unknown as LitElement);
  let answer = (): void => undefined;
  const first = sending.send(() => new Promise<void>((resolve) => (answer = resolve)));
  sending.refuse('Please enter a name.');
  let isSentTwice = false;
  await sending.send(async () => (isSentTwice = true));
  answer();
  expect([await first, isSentTwice, sending.failure]).toEqual([true, false, '']);
});
