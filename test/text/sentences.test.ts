import fc from '../support/suite/properties.ts';
import { expect, it } from 'vitest';
import { sentenceEnds } from '../../server/text/sentences.ts';

function sentences(text: string, language?: string, atLineBreaks = false): string[] {
  let start = 0;
  return sentenceEnds(text, { language, atLineBreaks }).map((end) => {
    const sentence = text.slice(start, end).trim();
    start = end;
    return sentence;
  });
}

it.each([
  ['en', 'Dr. Smith arrived at 5 p.m. on Monday. | He paid $3.50 for coffee.'],
  ['en', 'J. K. Rowling lives in the U.K. today. | So do I. | Then we went home.'],
  ['en', 'See No. 5 and Fig. 3, e.g. The Times. | No. | Never!'],
  ['en', 'It happened in the U.S. | The president spoke.'],
  ['en', 'The U.S. President spoke… | Really?! | “Why?” he asked. | “Because.” | She left.'],
  ['en', '1. Open the door. | 2. Close it (quickly). | Done.'],
  ['en', 'Visit example.com now. | Version 2.0.1 is out.'],
  ['en', 'We sell pens, paper, etc. | You can order online.'],
  ['de', 'Am 3. Oktober kam Hr. Müller, z. B. Apfel, z.B. Birnen. | Er ging.'],
  ['de', 'König Ludwig XIV. Regierte lange. | Das gilt u.a. Montag bis Freitag bzw. Samstag.'],
  ['de', 'Das ist so. | Solcher Art. | Gut.'],
  ['de', '„Komm!“, rief sie. | „Wohin?“ | „Nach Hause.“'],
  ['fr', 'M. Dupont est là. | Où est Mme. Durand ? | Elle est partie !'],
  ['fr', '« Où es-tu ? » demanda-t-elle. | « Ici. » | Elle rit. | « Oui ! »'],
  ['es', 'El Sr. García llegó. | ¿Qué quiere Ud. hoy? | ¡Nada!'],
  ['es', 'Vive en EE. UU. desde 1990. | Trabaja en RR. HH. | Es feliz.'],
  ['es', '—¿Vienes? —preguntó Ana—. | —No. | —Adiós.'],
  ['it', 'Il sig. Rossi è qui. | Arriva la dott.ssa Bianchi.'],
  ['pt', 'O Sr. Silva chegou. | Av. Paulista, n. 5.'],
  ['nl', 'Dhr. Jansen komt o.a. Maandag. | Hij blijft.'],
  ['pl', 'Ul. Długa 3 jest tu. | To np. Kraków.'],
  ['ru', '«Где?» — спросил он. | — Здесь! | — Да.'],
  ['ru', 'А. С. Пушкин жил в г. Москве. | См. рис. 5. | Да.'],
  ['zh', '这是第一句。 | 第二句！ | “第三句？” | 结束'],
  ['ja', '今日は。 | 「そうですか。」 | はい！'],
  ['ja', '「はい。」と言った。 | 「うん。」って。'],
  ['ar', 'مرحبا بك. | كيف حالك؟ | بخير.'],
  ['hi', 'यह एक है। | यह दो है।'],
  ['ka', 'ეს ერთია. | ეს ორია.'],
])('%s: %s', (language, marked) => {
  const expected = marked.split(' | ');
  expect(sentences(expected.join(' '), language)).toEqual(expected);
});

it('requires no blanks between sentences in scripts without blanks', () => {
  expect(sentences('你好。世界！「好。」完', 'zh')).toEqual(['你好。', '世界！', '「好。」', '完']);
});

it('ends sentences at line breaks only on request', () => {
  const text = 'A title\r\nSome text.\n\nMore';
  expect(sentences(text, 'en', true)).toEqual(['A title', 'Some text.', '', 'More']);
  expect(sentences(text, 'en', false)).toEqual(['A title\r\nSome text.', 'More']);
});

it('returns a single sentence whole, whatever its end', () => {
  for (const text of ['Hello', 'Hello.', 'Hello?!', 'Hello. ', 'Hello.”', '...', '', ' ']) {
    expect(sentenceEnds(text, { language: 'en', atLineBreaks: false })).toEqual(
      text === '' ? [] : [text.length],
    );
  }
});

it("agrees with Unicode's segmenter on plain prose", () => {
  const word = fc.constantFrom('Green', 'trees', 'grow', 'Slowly', 'and', '3.5', 'metres', 'tall');
  const prose = fc
    .array(fc.tuple(fc.array(word, { minLength: 2, maxLength: 6 }), fc.constantFrom('.', '!', '?')))
    .map((parts) => parts.map(([words, end]) => `It ${words.join(' ')} ok${end} `).join(''));
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  fc.assert(
    fc.property(prose, (text) => {
      const expected = [...segmenter.segment(text)].map(
        ({ index, segment }) => index + segment.length,
      );
      expect(sentenceEnds(text, { language: 'en', atLineBreaks: false })).toEqual(expected);
    }),
  );
});

it('returns ascending ends up to the length of any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (text, atLineBreaks) => {
      const ends = sentenceEnds(text, { language: 'de', atLineBreaks });
      expect(ends).toEqual([...new Set(ends)].sort((a, b) => a - b));
      expect(ends.at(-1) ?? 0).toBe(text.length);
    }),
  );
});
