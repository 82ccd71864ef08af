/** Logic and texts of the speaker's and captioner's pages, without a page. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SessionRequest } from '../../shared/client/token-provider.ts';
import type { RoomLine } from '../../shared/protocol/room-messages.ts';
import { CaptionOutbox, MAX_CHARACTERS } from '../../widget/events/caption-outbox.ts';
import { captionRows, heardFromMachine } from '../../widget/events/caption-rows.ts';
import { deskWords, refusalText } from '../../widget/events/desk-words.ts';
import type { RoomAtDesk, RoomDesk } from '../../widget/events/room-desk.ts';
import { RoomFloor, SESSION_ENDED } from '../../widget/events/room-floor.ts';
import { ScreenLock } from '../../widget/events/screen-lock.ts';
import {
  lagText,
  speakerStatus,
  type SpeakerSituation,
} from '../../widget/events/speaker-status.ts';

const silent: SpeakerSituation = {
  language: 'en',
  voice: 'idle',
  isTaken: false,
  wasTakenOver: false,
  isRoomPaused: false,
  isPausing: false,
  failure: '',
  readerCount: 0,
};

describe('the main button of a speaker', () => {
  it.each([
    [{}, 'Start speaking', 'start'],
    [{ isTaken: true }, 'Take over', 'start'],
    [{ isRoomPaused: true }, 'Go on', 'start'],
    [{ voice: 'requesting-microphone' }, 'Cancel', 'cancel'],
    [{ voice: 'live' }, 'Pause', 'pause'],
    [{ voice: 'quiet' }, 'Pause', 'pause'],
    [{ voice: 'offline' }, 'Pause', 'pause'],
    [{ voice: 'live', isRoomPaused: true }, 'Go on', 'go-on'],
    [{ voice: 'stopping', isPausing: true }, 'Pausing…', undefined],
    [{ voice: 'microphone-denied' }, 'Try again', 'start'],
    [{ voice: 'failed', wasTakenOver: true, isTaken: true }, 'Take over', 'start'],
  ] as [Partial<SpeakerSituation>, string, string | undefined][])(
    'in %j shows %s',
    (situation, label, action) => {
      expect(speakerStatus({ ...silent, ...situation })).toMatchObject({ label, action });
    },
  );

  it("shows a failure in the server's words", () => {
    const failure = 'The quota of this month is used up.';
    expect(speakerStatus({ ...silent, voice: 'failed', failure }).hint).toBe(failure);
  });

  it.each([
    [0, 'In time'],
    [499, 'In time'],
    [1_540, '1.5 s behind'],
    [12_400, '12 s behind'],
  ])('describes a lag of %i ms as %s', (lagMs, text) => {
    expect(lagText('en', lagMs)).toBe(text);
  });

  it.each([
    ['en', 1, '1 person reads along.'],
    ['es', 2, 'Te leen 2 personas.'],
    ['ar', 2, 'شخصان يتابعان القراءة.'],
    ['ar', 5, '5 أشخاص يتابعون القراءة.'],
    ['ar', 11, '11 شخصًا يتابعون القراءة.'],
  ])("in %s, counts %i readers with the language's plural forms", (language, readerCount, hint) => {
    const situation = { ...silent, language, readerCount, voice: 'live' } as const;
    expect(speakerStatus(situation).hint).toBe(hint);
  });
});

describe('the floor of a room', () => {
  const request = { message_format: 'json' } as SessionRequest;
  const { signal } = new AbortController();

  /** A room with a speaking session, and the requests made to it. */
  function roomWith(session: string | undefined) {
    const asked: string[] = [];
    const state = { session_id: session };
    const desk: Pick<RoomDesk, 'room' | 'pause' | 'provideToken'> = {
      room: async () => state as RoomAtDesk,
      pause: async (isPaused) => void asked.push(isPaused ? 'pause' : 'go on'),
      provideToken: async () => {
        asked.push('session');
        return { streaming_url: '/', token: 'token', session_id: 'own' };
      },
    };
    return { asked, state, floor: new RoomFloor(desk) };
  }

  it('is taken by pressing the button, and a paused room continues', async () => {
    const { asked, floor, state } = roomWith('of another');
    expect(floor.isTaken(state)).toBe(true);
    floor.ask();
    await floor.provideToken(request, signal);
    expect(asked).toEqual(['go on', 'session']);
    expect(floor.isTaken({ session_id: 'own' })).toBe(false);
  });

  it('stays with another speaker when a page reconnects by itself', async () => {
    const { asked, floor, state } = roomWith(undefined);
    floor.ask();
    await floor.provideToken(request, signal);
    state.session_id = 'of another';
    await expect(floor.provideToken(request, signal)).rejects.toMatchObject({
      reasonCode: SESSION_ENDED,
      isPassing: false,
    });
    state.session_id = 'own';
    await floor.provideToken(request, signal);
    expect(asked).toEqual(['go on', 'session', 'session']);
  });

  it('is not requested when a session is resumed', async () => {
    const { asked, floor } = roomWith('of another');
    await floor.provideToken({ token: 'token', last_sequence: 3 }, signal);
    expect(asked).toEqual(['session']);
  });
});

describe('a refusal of the server', () => {
  it('is shown in its own words in English, and in other languages by what it means', () => {
    const message = 'The quota of this month is used up.';
    expect(refusalText(deskWords('en'), 456, message)).toBe(message);
    expect(refusalText(deskWords('de'), 456, message)).toMatch(/^Das Kontingent ist aufgebraucht/);
    expect(refusalText(deskWords('de'), 400, message)).toBe('');
  });

  it('says what to do when the answer is not of the server', () => {
    const words = deskWords('en');
    expect(refusalText(words, 502, '')).toBe(words.failures.unable);
  });
});

describe('the lines that a captioner sends', () => {
  async function linesOf(text: string): Promise<string[]> {
    const sent: string[] = [];
    const desk = { type: async (caption: { text: string }) => sent.push(caption.text) };
    const outbox = new CaptionOutbox({ requestUpdate: () => undefined }, desk);
    outbox.add(text, 'spoken');
    await expect.poll(() => outbox.lines).toEqual([]);
    return sent;
  }

  it('are several for a text that is too long for one: whole sentences, and nothing is lost', async () => {
    const text = Array.from({ length: 90 }, (_, at) => `This is sentence ${at} of a speech.`);
    const lines = await linesOf(text.join(' '));
    expect(lines.join(' ')).toBe(text.join(' '));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/speech\.$/);
    expect(lines[0]!.length).toBeLessThanOrEqual(MAX_CHARACTERS);
  });

  it('are whole words where there are no sentences, and whole characters where there are no words', async () => {
    const words = Array.from({ length: 500 }, () => 'palabra').join(' ');
    const lines = await linesOf(words);
    expect(lines.join(' ')).toBe(words);
    const faces = `x${'😀'.repeat(1_500)}`;
    const cut = await linesOf(faces);
    expect(cut.join('')).toBe(faces);
    expect(cut.every((line) => line.length <= MAX_CHARACTERS)).toBe(true);
    expect(cut[1]).toMatch(/^😀+$/u);
  });

  it('end with the sign that ends a sentence, also where no blank follows it', async () => {
    const sentence = `「${'字'.repeat(26)}。」`;
    for (const shift of [0, 1, 2]) {
      const text = '字'.repeat(shift) + sentence.repeat(120);
      const lines = await linesOf(text);
      expect(lines.join('')).toBe(text);
      expect(lines.slice(1).every((line) => line.startsWith('「'))).toBe(true);
      expect(lines.every((line) => line.length <= MAX_CHARACTERS)).toBe(true);
    }
  });
});

describe('the lock of the screen', () => {
  it('is given back when it was granted too late', async () => {
    const grants: ((lock: EventTarget) => void)[] = [];
    const request = () => new Promise((resolve) => grants.push(resolve));
    vi.stubGlobal('navigator', { wakeLock: { request } });
    vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
    onTestFinished(() => void vi.unstubAllGlobals());
    const screen = new ScreenLock(() => undefined);
    const released = new Promise<void>((resolve) => {
      const lock = Object.assign(new EventTarget(), { release: async () => resolve() });
      screen.want(true);
      screen.want(false);
      grants[0]!(lock);
    });
    await released;
    expect([grants.length, screen.state]).toEqual([1, 'off']);
  });
});

describe('the rows of a captioner', () => {
  const line = (number: number, text: string, by = 'machine'): RoomLine => ({
    line: number,
    text,
    by,
    language: 'es',
    start_time: number * 1_000,
    end_time: number * 1_000 + 900,
  });
  const machine = new Map<number, string>();
  const sheet = { language: 'es', drafts: new Map(), machine, focused: 0 };

  it('are the last lines, including those without a translation', () => {
    const lines = [line(1, 'uno'), line(3, 'tres')];
    const spoken = [line(1, 'one'), line(2, 'two'), line(3, 'three')];
    const rows = captionRows({ ...sheet, lines, spoken }, 2);
    expect(rows.map(({ text, spoken: said }) => [said?.text, text])).toEqual([
      ['two', ''],
      ['three', 'tres'],
    ]);
  });

  it('keep the one that has the focus, as long as the line exists', () => {
    const lines = [line(1, 'uno'), line(2, 'dos'), line(3, 'tres')];
    const shown = (focused: number) =>
      captionRows({ ...sheet, lines, spoken: undefined, focused }, 1).map(({ text }) => text);
    expect(shown(1)).toEqual(['uno', 'tres']);
    expect(shown(9)).toEqual(['tres']);
  });

  it("show the recogniser's words where a person has corrected them", () => {
    const heard = heardFromMachine(new Map(), [line(1, 'uno'), line(2, 'dos')]);
    const lines = [line(1, 'Uno.', 'person'), line(2, 'dos')];
    const rows = captionRows({ ...sheet, lines, spoken: undefined, machine: heard }, 9);
    expect(rows.map((row) => [row.isByPerson, row.machine])).toEqual([
      [true, 'uno'],
      [false, undefined],
    ]);
  });

  it('keep a draft when the line changes, and report the change', () => {
    const draft = { text: 'una', before: 'uno', startMs: 0, isSending: false, failure: '' };
    const drafts = new Map([[1, draft]]);
    const [row] = captionRows({ ...sheet, drafts, lines: [line(1, 'un')], spoken: undefined }, 9);
    expect(row).toMatchObject({ text: 'una', meanwhile: 'un' });
    // Newer lines do not push it out of view, nor does its removal take away what was typed.
    const lines = [line(2, 'dos'), line(3, 'tres')];
    const rows = captionRows({ ...sheet, drafts, lines, spoken: undefined }, 1);
    expect(rows).toMatchObject([{ text: 'una', meanwhile: '' }, { text: 'tres' }]);
  });
});
