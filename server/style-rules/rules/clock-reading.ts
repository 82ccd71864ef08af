/** Reads times of day: figures that a word or a sign makes a time, and no score or section. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import { BLANK, JOINT, JOINT_ONWARD, withoutJoined, type Neighbours } from './mechanical-rule.ts';

export interface ReadTime {
  start: number;
  end: number;
  /** 0 to 24. */
  hour: number;
  /** Two figures; undefined for full hours that are written without. */
  minute: string | undefined;
  /**
   * `halves`: with a.m. or p.m.; `full`: of 24 hours; `unclear`: either, so that it is not converted.
   */
  clock: 'halves' | 'full' | 'unclear';
  /** What stands between hours and minutes, or after hours: `:`, `.`, `h`, `時`. */
  sign: string;
  /** The hour as it was written. */
  writtenHour: string;
  /** Hours, minutes and what is between, without words for halves of a day. */
  figures: { start: number; end: number };
}

/** Words before a time, where it has no sign of its own. */
const before: Partial<Record<StyleRuleLanguage, string>> = {
  de: 'um|ab|bis|gegen|seit|von|vor|nach',
  en: 'at|by|until|till|from|before|after|around|since',
  es: 'a las?|las|desde las?|hasta las?',
  fr: "à|dès|vers|depuis|avant|après|jusqu[’']à|de",
  it: "alle|ore|dalle|all[’']|dopo le|prima delle",
};

const HOUR = '(?<h>[01]?\\d|2[0-4])';
const MINUTE = '(?<min>[0-5]\\d)';
const START = '(?<![\\p{Script=Latin}\\d_.,:/+\\uFDD1-])';
const END = '(?![\\p{Script=Latin}\\d_%€$]|[.,:/]\\d)';

/** With a sign or a word after it, by language; each hour and minute is a group. */
const signed: Readonly<Record<StyleRuleLanguage, readonly string[]>> = {
  de: [`${START}${HOUR}(?:(?<s>[:.])${MINUTE})?(?<tail>[ \\u00A0]Uhr)(?!\\p{L})`],
  en: [
    `${START}${HOUR}(?:(?<s>[:.])${MINUTE})?(?<tail>${BLANK}(?<half>[ap])(?:\\.[ \\u00A0]?m\\.(?!\\p{L})|m)|${BLANK}(?<half2>[AP])(?:\\.M\\.|M))(?![\\p{L}\\d])`,
  ],
  es: [
    `${START}${HOUR}(?:(?<s>[:.])${MINUTE})?(?<tail>${BLANK}(?<half>[ap])(?:\\.[ \\u00A0]?m\\.|m)|${BLANK}(?<half2>[AP])(?:\\.M\\.|M))(?![\\p{L}\\d])`,
    `${START}${HOUR}(?<s>[:.])${MINUTE}(?<tail>[ \\u00A0]?h(?:oras)?)(?!\\p{L})`,
  ],
  fr: [`${START}${HOUR}(?<s>[ \\u00A0\\u202F]?h[ \\u00A0\\u202F]?)${MINUTE}${END}`],
  it: [],
  ja: [
    `(?<half>午前|午後)?(?<!\\d)${HOUR}(?<s>時)(?!間)(?:(?<min>[0-5]?\\d)分)?`,
    `(?<half>午前|午後)(?<!\\d)${HOUR}(?<s>:)${MINUTE}(?![\\d:])`,
  ],
  ko: [
    `(?:(?<half>오전|오후) ?)?(?<!\\d)${HOUR}(?<s>시)(?!간)(?: ?(?<min>[0-5]?\\d)분)?`,
    `(?<half>오전|오후) ?(?<!\\d)${HOUR}(?<s>:)${MINUTE}(?![\\d:])`,
  ],
  zh: [
    `(?<half>上午|下午|早上|晚上)(?<!\\d)${HOUR}(?<s>[点點时時])(?![间間])(?:(?<min>[0-5]?\\d)分)?`,
    `(?<half>上午|下午|早上|晚上)(?<!\\d)${HOUR}(?<s>:)${MINUTE}(?![\\d:])`,
    `(?<!\\d)${HOUR}(?<s>[点點时時])(?<min>[0-5]?\\d)分(?!钟|鐘)`,
  ],
};

const patterns = new Map<StyleRuleLanguage, RegExp[]>();

function patternsOf(language: StyleRuleLanguage): RegExp[] {
  let found = patterns.get(language);
  if (found === undefined) {
    found = signed[language].map((source) => new RegExp(source, 'dgu'));
    const words = before[language];
    if (words !== undefined) {
      found.push(
        new RegExp(
          `(?<=(?<!\\p{L})(?:${words})[ \\u00A0]|[’'])${START.replace('-', '')}${HOUR}(?<s>[:])${MINUTE}${END}`,
          'dgui',
        ),
      );
    } else if (language !== 'zh') {
      found.push(
        new RegExp(
          `(?<![\\p{Script=Latin}\\d_.,:/+-])${HOUR}(?<s>:)${MINUTE}(?=[にかまで에부까])`,
          'dgu',
        ),
      );
    }
    patterns.set(language, found);
  }
  return found;
}

const AFTERNOON = /^(?:p|P|午後|오후|下午|晚上)$/u;

/** The times of a text, in reading order, none overlapping. */
export function readTimes(text: string, language: StyleRuleLanguage): ReadTime[] {
  const times: ReadTime[] = [];
  for (const pattern of patternsOf(language)) {
    for (const match of text.matchAll(pattern)) {
      const time = timeOf(match, language);
      if (time !== undefined) times.push(time);
    }
  }
  times.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  const apart = times.filter((time) => {
    const isFree = time.start >= end;
    if (isFree) ({ end } = time);
    return isFree;
  });
  return withoutJoined(apart, text, NEIGHBOURS, areOfOneClock);
}

const SIGN = '[:.hH点點时時시]';
/** Figures that a time is joined to: 9 to 5 p.m., de 9h à 10h30. */
const NEIGHBOURS: Neighbours = {
  before: new RegExp(`[\\d\\uFDD1](?:[ \\u00A0]?${SIGN})?(?:${JOINT})$`, 'iu'),
  after: new RegExp(
    `^(?:${JOINT_ONWARD}(?:오[전후] ?)?[\\d\\uFDD1](?!\\d*(?:時間|시간|小时))|[,、] ?\\d{1,2}(?:${SIGN}\\d{2}|[点點时時시]|${JOINT_ONWARD}\\d))`,
    'iu',
  ),
};

/** 8:30 to 10 p.m. may begin in the evening; 15:30 and 09:00 leave no doubt beside it. */
const areOfOneClock = (times: readonly ReadTime[]): boolean =>
  !times.some(({ clock }) => clock === 'halves') ||
  times.every(
    ({ clock, hour, writtenHour }) =>
      clock === 'halves' || hour > 12 || hour === 0 || writtenHour.startsWith('0'),
  );

function timeOf(match: RegExpExecArray, language: StyleRuleLanguage): ReadTime | undefined {
  const { h = '', min, s = '', half, half2 } = match.groups ?? {};
  const half_ = half ?? half2;
  const written = Number(h);
  const hoursAt = match.indices?.groups?.['h']?.[0] ?? match.index;
  const end = match.index + match[0].length;
  const figuresEnd = match.indices?.groups?.['tail']?.[0] ?? end;
  const base = {
    start: match.index,
    end,
    minute: min?.padStart(2, '0'),
    sign: s,
    writtenHour: h,
    figures: { start: hoursAt, end: figuresEnd },
  };
  if (half_ !== undefined) {
    // 下午15点 says it twice.
    if (written > 12) return undefined;
    const isAfternoon = AFTERNOON.test(half_);
    // 0 a.m. is as unusual as 午前0時 is not.
    if (written === 0 && isAfternoon) return undefined;
    const hour = (written % 12) + (isAfternoon ? 12 : 0);
    // 晚上12点 is midnight.
    if (half_ === '晚上' && written === 12) return undefined;
    return { ...base, hour, clock: 'halves' };
  }
  if (written === 24 && Number(min ?? 0) > 0) return undefined;
  const isSigned = language === 'de' || s.includes('h') || h.length === 2;
  const isFull = written > 12 || written === 0 || h.startsWith('0') || isSigned;
  return { ...base, hour: written, clock: isFull ? 'full' : 'unclear' };
}
