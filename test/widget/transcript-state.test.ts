import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '../../shared/protocol/messages.ts';
import {
  changeLanguages,
  emptyTranscript,
  findTrack,
  finishTranscript,
  plainText,
  receiveMessage,
  spokenLanguages,
  type Transcript,
} from '../../widget/transcript-state.ts';

const empty = emptyTranscript({ sourceLanguage: 'en', targetLanguages: ['es', 'fr'] });

interface Words {
  text: string;
  from?: number;
  to?: number;
  language?: string;
}

function segments(words: readonly Words[]) {
  return words.map(({ text, from = 0, to = from + 500, language = 'en' }) => ({
    language,
    text,
    start_time: from,
    end_time: to,
  }));
}

function heard(concluded: readonly Words[], tentative: readonly Words[] = []): ServerMessage {
  return {
    type: 'source_transcript_update',
    concluded: segments(concluded),
    tentative: segments(tentative),
  };
}

function translated(language: string, text: string): ServerMessage {
  return {
    type: 'target_transcript_update',
    language,
    concluded: [{ text, start_time: 0, end_time: 500 }],
    tentative: [],
  };
}

function after(...messages: ServerMessage[]): Transcript {
  return messages.reduce((sum, message) => receiveMessage(sum, message).transcript, empty);
}

const source = (transcript: Transcript) => transcript.tracks[0]!;
const shownTexts = (transcript: Transcript) =>
  source(transcript).shown.map(({ concluded, tentative }) => [concluded, tentative]);

describe('the transcript', () => {
  it('has an empty track for every language from the start, the source first', () => {
    expect(empty.tracks.map(({ kind, language, shown }) => [kind, language, shown.length])).toEqual(
      [
        ['source', 'en', 0],
        ['target', 'es', 0],
        ['target', 'fr', 0],
      ],
    );
  });

  it('joins segments with their own blanks', () => {
    const transcript = after(
      heard([{ text: 'Good' }, { text: ' morning' }]),
      heard([{ text: ', all' }]),
    );
    expect(shownTexts(transcript)).toEqual([['Good morning, all', '']]);
  });

  it('begins a line after each sentence, also within a segment', () => {
    const transcript = after(heard([{ text: 'One thing. Two things! ¿Y tres?” And' }]));
    expect(shownTexts(transcript).flat().filter(Boolean)).toEqual([
      'One thing.',
      'Two things!',
      '¿Y tres?”',
      'And',
    ]);
  });

  it('breaks after the full stops of scripts without blanks', () => {
    const transcript = after(heard([{ text: '皆さん、こんにちは。元気ですか？はい' }]));
    expect(source(transcript).lines.map(({ concluded }) => concluded)).toEqual([
      '皆さん、こんにちは。',
      '元気ですか？',
      'はい',
    ]);
  });

  it.each(['Dr. Stone and J. Smith met', 'It costs 3.50 here', 'Say e.g. this'])(
    'keeps “%s” on one line',
    (text) => {
      expect(source(after(heard([{ text }]))).lines).toHaveLength(1);
    },
  );

  it('replaces tentative text and keeps its line when it is concluded', () => {
    const before = after(heard([{ text: 'I' }], [{ text: ' thing so' }]));
    const better = receiveMessage(before, heard([], [{ text: ' think so' }])).transcript;
    const done = receiveMessage(better, heard([{ text: ' think so.' }])).transcript;
    expect(shownTexts(before)).toEqual([['I', ' thing so']]);
    expect(shownTexts(better)).toEqual([['I', ' think so']]);
    expect(shownTexts(done)).toEqual([['I think so.', '']]);
    const ids = [before, better, done].map((each) => source(each).shown.map(({ id }) => id));
    expect(ids).toEqual([[0], [0], [0]]);
  });

  it('lays out tentative sentences like concluded ones', () => {
    const text = ' we go. And then we';
    const tentative = after(heard([{ text: 'Here' }], [{ text }]));
    const concluded = receiveMessage(tentative, heard([{ text }])).transcript;
    const layout = (transcript: Transcript) =>
      source(transcript).shown.map(({ id, ...line }) => [id, line.concluded + line.tentative]);
    expect(layout(tentative)).toEqual([
      [0, 'Here we go.'],
      [1, 'And then we'],
    ]);
    expect(layout(concluded)).toEqual(layout(tentative));
  });

  it('begins a line after a long pause even without a full stop', () => {
    const transcript = after(
      heard([{ text: 'first', from: 0, to: 1000 }]),
      heard([{ text: ' second', from: 3_400, to: 4_000 }]),
      heard([{ text: ' third', from: 6_600, to: 7_000 }]),
    );
    expect(source(transcript).lines.map(({ concluded }) => concluded)).toEqual([
      'first second',
      'third',
    ]);
  });

  it('ends a line that grows without punctuation', () => {
    const transcript = after(...Array.from({ length: 60 }, () => heard([{ text: ' many words' }])));
    const lengths = source(transcript).lines.map(({ concluded }) => concluded.length);
    expect(lengths.length).toBeGreaterThan(1);
    expect(Math.max(...lengths)).toBeLessThan(260);
  });

  it('reports each completed line once, with its language', () => {
    const told: string[] = [];
    let transcript = empty;
    const messages = [
      heard([], [{ text: 'One.' }]),
      heard([{ text: 'One.' }], [{ text: ' Two.' }]),
      heard([{ text: ' Two. Three' }]),
      translated('es', 'Uno.'),
      translated('de', 'Eins.'),
      heard([{ text: '.' }]),
    ];
    for (const message of messages) {
      const update = receiveMessage(transcript, message);
      transcript = update.transcript;
      told.push(...update.completed.map(({ language, line }) => `${language} ${line.concluded}`));
    }
    expect(told).toEqual(['en One.', 'en Two.', 'es Uno.', 'en Three.']);
  });

  it('adopts the recognised language and does not mix two in a line', () => {
    const transcript = after(
      heard([{ text: 'Hello', language: 'en' }]),
      heard([{ text: ' hola', language: 'es' }]),
    );
    expect(source(transcript).language).toBe('es');
    expect(source(transcript).lines.map(({ language }) => language)).toEqual(['en', 'es']);
  });

  it("keeps a target's language whatever its segments declare", () => {
    const transcript = after({
      type: 'target_transcript_update',
      language: 'fr',
      concluded: segments([{ text: 'Bonjour.', language: 'en' }]),
      tentative: [],
    });
    expect(findTrack(transcript, 'fr')!.lines[0]!.language).toBe('fr');
  });

  it('keeps tentative text and completes open lines when a connection ends', () => {
    const open = after(heard([{ text: 'Half a' }], [{ text: ' sentence' }]));
    const { transcript, completed } = finishTranscript(open);
    expect(shownTexts(transcript)).toEqual([['Half a', ' sentence…']]);
    expect(plainText(source(transcript))).toBe('Half a');
    expect(finishTranscript(transcript)).toEqual({ transcript, completed: [] });
    expect(completed.map(({ line }) => line.concluded)).toEqual(['Half a']);
    const next = receiveMessage(transcript, heard([{ text: 'A new one' }])).transcript;
    expect(shownTexts(next)).toEqual([
      ['Half a', ' sentence…'],
      ['A new one', ''],
    ]);
  });

  it('neither reports nor returns text that was only tentative when its connection ended', () => {
    const open = after(heard([{ text: 'Yes.' }], [{ text: ' Two things. And a' }]));
    const { transcript, completed } = finishTranscript(open);
    expect(shownTexts(transcript)).toEqual([
      ['Yes.', ''],
      ['', 'Two things.'],
      ['', 'And a…'],
    ]);
    expect(completed).toEqual([]);
    const next = receiveMessage(transcript, heard([{ text: 'Back.' }]));
    expect(next.completed.map(({ line }) => line.concluded)).toEqual(['Back.']);
    expect(plainText(source(next.transcript))).toBe('Yes.\nBack.');
  });

  it('keeps the text of remaining languages after a change', () => {
    const before = after(heard([{ text: 'Yes.' }]), translated('fr', 'Oui.'));
    const changed = changeLanguages(before, {
      sourceLanguage: 'en',
      targetLanguages: ['it', 'fr'],
    });
    expect(changed.tracks.map((track) => [track.language, plainText(track)])).toEqual([
      ['en', 'Yes.'],
      ['it', ''],
      ['fr', 'Oui.'],
    ]);
  });

  it('keeps the text of removed languages, including their last words, and restores it', () => {
    const choose = (transcript: Transcript, ...targetLanguages: string[]) =>
      changeLanguages(transcript, { sourceLanguage: 'en', targetLanguages });
    const without = choose(after(translated('fr', 'Oui.')), 'es');
    const late = receiveMessage(without, translated('fr', ' Et non.')).transcript;
    const later = choose(choose(late, 'it'), 'es');
    expect(plainText(findTrack(later, 'fr')!)).toBe('Oui.\nEt non.');
    expect(spokenLanguages(later)).toEqual(['fr']);
    const back = choose(later, 'fr', 'es');
    expect(back.tracks.map((track) => [track.language, plainText(track)])).toEqual([
      ['en', ''],
      ['fr', 'Oui.\nEt non.'],
      ['es', ''],
    ]);
  });

  it('labels the source with the last recognised language until another one is selected', () => {
    const german = after(heard([{ text: 'Ja.', language: 'de' }]));
    const named = (sourceLanguage: string) =>
      changeLanguages(german, { sourceLanguage, targetLanguages: ['fr'] }).tracks[0]!.language;
    expect(named('en')).toBe('de');
    expect(named('pt')).toBe('pt');
  });

  it('returns concluded text with one sentence per line', () => {
    const transcript = after(heard([{ text: 'One. Two. ' }], [{ text: 'Three' }]));
    expect(plainText(findTrack(transcript, 'en')!)).toBe('One.\nTwo.');
    expect(findTrack(transcript, 'de')).toBeUndefined();
  });
});
