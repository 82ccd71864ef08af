/** What somebody who corrects captions has before them: lines, what is not sent yet, what the machine said. Pure. */
import type { RoomLine } from '../../shared/protocol/room-messages.ts';

/** A line that is being changed. */
export interface Draft {
  text: string;
  /** What the line was when the change began. */
  before: string;
  /** It is on its way. */
  isSending: boolean;
  /** Why it could not be sent, for people. */
  failure: string;
}

/** One row: a line of the language that is written, and what was said. */
export interface CaptionRow {
  line: number;
  /** When it was said, ms since 1970. */
  startMs: number;
  /** What was said, where another language is written. */
  spoken: RoomLine | undefined;
  /** What is in the field. */
  text: string;
  /** Of the text. */
  language: string;
  isByPerson: boolean;
  /** What the machine had said where a person has said otherwise. */
  machine: string | undefined;
  draft: Draft | undefined;
  /** The line has become this while it was being changed. */
  meanwhile: string | undefined;
}

/** What rows are made of. */
export interface CaptionSheet {
  /** Of the language that is written. */
  lines: readonly RoomLine[];
  /** Of what was said; undefined where that is what is written. */
  spoken: readonly RoomLine[] | undefined;
  /** The language that is written, where it is another than what is spoken. */
  language: string;
  drafts: ReadonlyMap<number, Draft>;
  /** What the machine said, by line. */
  machine: ReadonlyMap<number, string>;
}

/** The last rows, oldest first. What was said and has no translation yet has a row as well. */
export function captionRows(sheet: CaptionSheet, most: number): CaptionRow[] {
  const { lines, spoken = [], language, drafts, machine } = sheet;
  const written = new Map(lines.map((line) => [line.line, line]));
  const said = new Map(spoken.map((line) => [line.line, line]));
  const numbers = [...new Set([...written.keys(), ...said.keys()])].sort((a, b) => a - b);
  return numbers.slice(-most).map((line) => {
    const own = written.get(line);
    const draft = drafts.get(line);
    const { text = '', by = 'machine' } = own ?? {};
    const heard = machine.get(line);
    const isByPerson = by === 'person';
    return {
      line,
      startMs: (own ?? said.get(line))?.start_time ?? 0,
      spoken: said.get(line),
      text: draft?.text ?? text,
      language: own?.language ?? language,
      isByPerson,
      machine: isByPerson && heard !== text ? heard : undefined,
      draft,
      meanwhile: draft !== undefined && draft.before !== text ? text : undefined,
    };
  });
}

/** What the machine has said, with lines that came. */
export function heardFromMachine(
  before: ReadonlyMap<number, string>,
  lines: readonly RoomLine[],
): ReadonlyMap<number, string> {
  const said = lines.filter(({ by, text }) => by === 'machine' && text !== '');
  if (said.length === 0) return before;
  return new Map([...before, ...said.map(({ line, text }) => [line, text] as const)]);
}
