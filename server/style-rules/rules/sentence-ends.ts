/** Whether the full stop of a short form ends its sentence as well. */

/** Words that begin English sentences and hardly ever follow a short form with a capital. */
const STARTER =
  /^[\s\uFDD0]+["“‘'(]?(?:An?|And|As|At|But|By|For|From|He|Her|His|However|I|If|In|It|Its|My|No|On|Or|Our|She|So|That|The|Their|Then|There|These|They|This|Those|To|We|What|When|Where|Who|Why|With|Yes|You|Your)(?![\p{L}'’])/u;

/** Words with a capital that go on after a short form: the U.S. Army, 5 p.m. Monday. */
const FOLLOWER =
  /^[ \u00A0](?:Air|Army|Bank|Congress|Constitution|Department|Embassy|General|Government|House|Navy|President|Prime|Secretary|Security|Senate|Senator|State|States|Supreme|Treasury|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|GMT|UTC|[A-Z][DS]?T|CES?T)(?!\p{L})/u;

/** What stands in sentences and hardly in headings, cells and labels; or a sentence before. */
const SENTENCE =
  /(?<!\p{L})(?:am|are|be|been|can|could|did|does?|ends?|goes|go|had|has|have|he|I|is|it|may|must|she|should|starts?|they|was|we|were|will|would|you|ist|sind|war|hat|haben|wird|wir|es|son|está|fue|hay|est|sont|il|elle|nous|è|sono|ha|hanno)(?!\p{L})|\p{L}{2}[.!?]["”’»)]{0,2}\s/u;
/** Text of a line that is looked at, in UTF-16 units. */
const LINE = 300;

/** At the end of a line: whether the line is a sentence, none (`9 a.m.–5 p.m.`) or may be either. */
function endsAsSentence(text: string, end: number): 'yes' | 'no' | 'unclear' {
  const line =
    text
      .slice(Math.max(0, end - LINE), end)
      .split('\n')
      .at(-1) ?? '';
  // Halves of days, initials and the short form itself are no words.
  const others = line.replace(/(?:\p{L}\.[ \u00A0]?)+|(?<!\p{L})[AaPp][Mm](?!\p{L})/gu, ' ');
  if (SENTENCE.test(others)) return 'yes';
  return /\p{L}{2}|\uFDD1/u.test(others) ? 'unclear' : 'no';
}

/**
 * `yes` where what follows begins a sentence, or nothing follows but closing marks and the line is a
 * sentence; `unclear` before other words with a capital and after words that may be a heading.
 */
export function endsSentence(text: string, end: number): 'yes' | 'no' | 'unclear' {
  const rest = text.slice(end, end + 24);
  if (/^[\uFDD0"”’»)\]]{0,4}(?:$|\s*\n)/.test(rest)) return endsAsSentence(text, end);
  if (STARTER.test(rest)) return 'yes';
  return /^[\uFDD0]*[ \u00A0][\uFDD0"“(]{0,3}[\p{Lu}\uFDD1]/u.test(rest) && !FOLLOWER.test(rest)
    ? 'unclear'
    : 'no';
}

/**
 * Another form for one with full stops that was found at a place: the last is kept where it ends the
 * sentence, and where nobody knows, the form that was found.
 */
export function withoutStop(found: string, form: string, text: string, at: number): string {
  const end = at + found.length;
  if (!found.endsWith('.') || text[end] === '.') return form;
  const ends = endsSentence(text, end);
  if (ends === 'unclear') return found;
  return ends === 'yes' ? `${form}.` : form;
}
