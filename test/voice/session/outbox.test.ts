import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '../../../shared/protocol/messages.ts';
import { Outbox, type OutboxReader } from '../../../server/voice/session/outbox.ts';

const segment = (text: string) => ({ language: 'en', text, start_time: 0, end_time: 1 });
const concluded = (text: string): ServerMessage => ({
  type: 'source_transcript_update',
  concluded: [segment(text)],
  tentative: [],
});
const tentative = (text: string): ServerMessage => ({
  type: 'source_transcript_update',
  concluded: [],
  tentative: text === '' ? [] : [segment(text)],
});
const media = (sizeBytes: number): ServerMessage => ({
  type: 'target_media_chunk',
  language: 'es',
  data: [new Uint8Array(sizeBytes)],
  duration: 1,
});

/** Takes all pending messages in short form: texts, with `~` before tentative ones. */
function takeAll(reader: OutboxReader): string[] {
  const told: string[] = [];
  for (let next = reader.take(); next !== undefined; next = reader.take()) {
    const { message } = next;
    if (message.type === 'source_transcript_update') {
      told.push(...message.concluded.map(({ text }) => text));
      if (message.concluded.length === 0) told.push(`~${message.tentative[0]?.text ?? ''}`);
    } else told.push(message.type);
  }
  return told;
}

describe("a reader's connection", () => {
  it('receives everything concluded, and only the newest tentative captions', () => {
    const outbox = new Outbox({ isNumbered: false });
    const reader = outbox.read(undefined);
    void outbox.put(tentative('a'));
    void outbox.put(tentative('a b'));
    void outbox.put(concluded('a b c'));
    void outbox.put(tentative('d'));
    void outbox.put(tentative('d e'));
    expect(takeAll(reader)).toEqual(['a b c', '~d e']);
  });

  it('is told when tentative captions are removed', () => {
    const outbox = new Outbox({ isNumbered: false });
    const reader = outbox.read(undefined);
    void outbox.put(tentative('noise'));
    expect(takeAll(reader)).toEqual(['~noise']);
    void outbox.put(tentative(''));
    expect(takeAll(reader)).toEqual(['~']);
  });

  it('is done when everything was put and taken', () => {
    const outbox = new Outbox({ isNumbered: false });
    const reader = outbox.read(undefined);
    void outbox.put(concluded('a'));
    outbox.end();
    expect(reader.isDone).toBe(false);
    takeAll(reader);
    expect(reader.isDone).toBe(true);
  });

  it('receives nothing more once another connection reads', () => {
    const outbox = new Outbox({ isNumbered: false });
    const first = outbox.read(undefined);
    const second = outbox.read(undefined);
    void outbox.put(concluded('a'));
    expect(takeAll(first)).toEqual([]);
    expect(takeAll(second)).toEqual(['a']);
  });
});

describe('the next connection', () => {
  it('receives what the client has not received, then the newest tentative captions', () => {
    const outbox = new Outbox({ isNumbered: true });
    const first = outbox.read(undefined);
    for (const text of ['a', 'b', 'c']) void outbox.put(concluded(text));
    takeAll(first);
    void outbox.put(concluded('d'));
    void outbox.put(tentative('e'));
    expect(takeAll(outbox.read(1))).toEqual(['b', 'c', 'd', '~e']);
    expect(takeAll(outbox.read(4))).toEqual(['~e']);
  });

  it('begins after the confirmed messages when its client names no sequence', () => {
    const outbox = new Outbox({ isNumbered: false });
    const first = outbox.read(undefined);
    for (const text of ['a', 'b', 'c']) void outbox.put(concluded(text));
    takeAll(first);
    outbox.confirm(2);
    expect(takeAll(outbox.read(undefined))).toEqual(['c', '~']);
  });

  it('may go back behind confirmed messages for half a minute', () => {
    let nowMs = 0;
    const outbox = new Outbox({ isNumbered: true, now: () => nowMs });
    for (const text of ['a', 'b', 'c']) void outbox.put(concluded(text));
    outbox.confirm(2);
    nowMs = 20_000;
    outbox.confirm(3);
    expect(takeAll(outbox.read(0))).toEqual(['a', 'b', 'c', '~']);
    nowMs = 31_000;
    outbox.confirm(3);
    expect(takeAll(outbox.read(0))).toEqual(['c', '~']);
  });

  it('ignores a sequence that was never sent', () => {
    const outbox = new Outbox({ isNumbered: true });
    void outbox.put(concluded('a'));
    const reader = outbox.read(99);
    outbox.confirm(99);
    void outbox.put(concluded('b'));
    expect(takeAll(reader)).toEqual(['b']);
  });
});

it('numbers messages only on request, and only those that must not be lost', () => {
  for (const isNumbered of [true, false]) {
    const outbox = new Outbox({ isNumbered });
    const reader = outbox.read(undefined);
    const seen: unknown[] = [];
    const end: ServerMessage = { type: 'end_of_stream' };
    for (const message of [tentative('a'), concluded('a'), media(1), end]) {
      void outbox.put(message);
      for (let next = reader.take(); next !== undefined; next = reader.take()) {
        seen.push('sequence' in next.message ? next.message.sequence : undefined);
      }
    }
    expect(seen).toEqual(isNumbered ? [undefined, 1, 2, 3] : Array(4).fill(undefined));
  }
});

it('waits while the client has too much unconfirmed, until it confirms or the outbox closes', async () => {
  const outbox = new Outbox({ isNumbered: false });
  const reader = outbox.read(undefined);
  await outbox.put(media(5_000_000));
  let hasRoom = false;
  const waiting = outbox.put(media(5_000_000)).then(() => (hasRoom = true));
  takeAll(reader);
  await new Promise(setImmediate);
  expect(hasRoom).toBe(false);
  outbox.confirm(1);
  await waiting;
  const closed = outbox.put(media(9_000_000));
  outbox.close();
  await closed;
});
