/**
 * Rows of the captioner page, made of a room's lines, the drafts and the machine's version. Pure functions.
 */
import type { RoomLine } from '../../shared/protocol/room-messages.ts';

/** An edit of a line that is not sent yet. */
export interface Draft {
  text: string;
  /** Text of the line when the edit began. */
  before: string;
  /** Start time of the line, in ms since 1970. */
  startMs: number;
  /** Whether the edit is being sent. */
  isSending: boolean;
  /** Why sending failed, for the user. */
  failure: string;
}

/** Drafts by language (or `spoken`) and line number. */
export type Drafts = ReadonlyMap<string, ReadonlyMap<number, Draft>>;

/** Sets the draft of a line; undefined: removes it. */
export function withDraft(
  before: Drafts,
  { language, line }: { language: string; line: number },
  draft: Draft | undefined,
): Drafts {
  const drafts = new Map(before.get(language));
  if (draft === undefined) drafts.delete(line);
  else drafts.set(line, draft);
  return new Map(before).set(language, drafts);
}

/**
 * Returns what remains of a draft once the server has answered; undefined: nothing. An edit made meanwhile
 * stays.
 *
 * @param newest the draft of the line by now
 * @param failure why sending failed; empty if it did not
 */
export function draftAfter(
  sent: Draft,
  { newest, failure }: { newest: Draft | undefined; failure: string },
): Draft | undefined {
  const isSentAgain = newest !== sent && newest?.isSending === true;
  if (newest === undefined || isSentAgain) return newest;
  if (failure !== '') return { ...newest, isSending: false, failure };
  return newest === sent ? undefined : { ...newest, before: sent.text.trim() };
}

/** One row: a line in the written language, and the spoken line beside it. */
export interface CaptionRow {
  line: number;
  /** Start time, in ms since 1970. */
  startMs: number;
  /** The spoken line, if another language is written. */
  spoken: RoomLine | undefined;
  /** Text in the field. */
  text: string;
  /** Language of the text. */
  language: string;
  isByPerson: boolean;
  /** The machine's version, if a person has changed it. */
  machine: string | undefined;
  draft: Draft | undefined;
  /** Text to which the line changed on the server during the edit. */
  meanwhile: string | undefined;
}

/** Input of {@link captionRows}. */
export interface CaptionSheet {
  /** Lines of the written language. */
  lines: readonly RoomLine[];
  /** Spoken lines; undefined if the spoken track itself is written. */
  spoken: readonly RoomLine[] | undefined;
  /** Language that is written, for lines without one of their own. */
  language: string;
  drafts: ReadonlyMap<number, Draft>;
  /** The machine's version of each line, by line number. */
  machine: ReadonlyMap<number, string>;
  /** Line whose field has the focus; 0 for none. */
  focused: number;
}

/**
 * Returns the last `most` rows, oldest first. A spoken line without a translation yet has a row as well, and so
 * have the focused line, even if it is older, and every edited line, even if it is older or has been removed.
 */
export function captionRows(sheet: CaptionSheet, most: number): CaptionRow[] {
  const { lines, spoken = [], language, drafts, machine, focused } = sheet;
  const written = new Map(lines.map((line) => [line.line, line]));
  const said = new Map(spoken.map((line) => [line.line, line]));
  const known = new Set([...written.keys(), ...said.keys(), ...drafts.keys()]);
  const numbers = [...known].sort((a, b) => a - b);
  const first = numbers.at(-most) ?? 0;
  const shown = numbers.filter((line) => line >= first || line === focused || drafts.has(line));
  return shown.map((line) => {
    const own = written.get(line);
    const draft = drafts.get(line);
    const { text = '', by = 'machine' } = own ?? {};
    const heard = machine.get(line);
    const isByPerson = by === 'person';
    return {
      line,
      startMs: (own ?? said.get(line))?.start_time ?? draft?.startMs ?? 0,
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

/** Adds the machine's version of new lines to the known ones. */
export function heardFromMachine(
  before: ReadonlyMap<number, string>,
  lines: readonly RoomLine[],
): ReadonlyMap<number, string> {
  const said = lines.filter(({ by, text }) => by === 'machine' && text !== '');
  if (said.length === 0) return before;
  return new Map([...before, ...said.map(({ line, text }) => [line, text] as const)]);
}
