/**
 * Sentence segmentation. Candidates follow Unicode's rules (UAX #29: a terminal, closing marks, and a blank
 * except in scripts without blanks); abbreviations, initials, numbers and quotations are then ruled out.
 * `Intl.Segmenter` finds the same candidates, but in time quadratic in the length.
 */
import { type LanguageTag, baseLanguage } from '../../shared/language.ts';

/** A match starts only at the beginning of a run of terminals, so that long runs take linear time. */
const CANDIDATE =
  /(?<![\p{STerm}…])([\p{STerm}…]+)([\p{Pe}\p{Pf}"'”’»›“]*(?:[ \u00a0\u202f][»›])?)\s+|[。！？｡]+[」』）〉》】〕”’]*/gu;
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const TERMINAL = /[\p{STerm}…]/u;
const LETTER = /\p{L}/u;

/**
 * Returns the ends of the sentences of a text: UTF-16 positions in ascending order, of which the last is the
 * length of the text. Blanks belong to the preceding sentence. Takes linear time.
 *
 * @param options.atLineBreaks whether a line break ends a sentence; otherwise it counts as a blank
 */
export function sentenceEnds(
  text: string,
  { language, atLineBreaks }: { language: LanguageTag | undefined; atLineBreaks: boolean },
): number[] {
  const ends: number[] = [];
  let lineStart = 0;
  if (atLineBreaks) {
    for (const { 0: lineBreak, index } of text.matchAll(LINE_BREAK)) {
      const lineEnd = index + lineBreak.length;
      appendEnds(ends, text.slice(lineStart, lineEnd), lineStart, language);
      lineStart = lineEnd;
    }
  }
  if (lineStart < text.length) {
    appendEnds(ends, lineStart === 0 ? text : text.slice(lineStart), lineStart, language);
  }
  return ends;
}

function appendEnds(
  ends: number[],
  line: string,
  offset: number,
  language: LanguageTag | undefined,
): void {
  const firstTerminal = line.search(TERMINAL);
  // Fast path: most texts are a single sentence, of which only the terminal is examined.
  if (firstTerminal !== -1 && LETTER.test(line.slice(firstTerminal))) {
    const rules = abbreviationsOf(language);
    let start = 0;
    for (const { 0: candidate, 1: terminals, 2: closing, index } of line.matchAll(CANDIDATE)) {
      const end = index + candidate.length;
      if (end === line.length) break;
      const goesOn =
        terminals === undefined
          ? isQuoted(candidate, line, end)
          : sentenceGoesOn({ line, start, index, end, terminals, closing, rules, language });
      if (goesOn) continue;
      ends.push(offset + end);
      start = end;
    }
  }
  ends.push(offset + line.length);
}

/** Distance searched backwards for the word before a full stop: no abbreviation is longer. */
const WORD_REACH = 24;
/** Length of the next sentence's beginning that is examined. */
const NEXT_REACH = 24;

const CONTINUES = /^(?:[,;:)\]}]|[»›]$)/u;
/** Georgian is excluded because it has only lower-case letters. */
const LOWER_CASE = /^["'“”‘’«»„¿¡([]*(?!\p{Script=Georgian})\p{Ll}/u;
/** —¿Vienes? —preguntó Ana. */
const ASIDE = /^[—–] ?\p{Ll}/u;
const WORD_BOUNDARIES = ' \t\r\n\u00a0()[]{}"\'“”„«»‘’/';

/** 「はい。」と言った。 */
function isQuoted(candidate: string, line: string, end: number): boolean {
  return /[」』”]$/u.test(candidate) && /^(?:と|って)/u.test(line.slice(end, end + 2));
}

function sentenceGoesOn({
  line,
  start,
  index,
  end,
  terminals,
  closing,
  rules,
  language,
}: {
  line: string;
  start: number;
  index: number;
  end: number;
  terminals: string;
  closing: string | undefined;
  rules: AbbreviationRules;
  language: LanguageTag | undefined;
}): boolean {
  const next = line.slice(end, end + NEXT_REACH);
  if (CONTINUES.test(next) || ASIDE.test(next)) return true;
  const isStrong = /[^.…]/u.test(terminals);
  // “Why?” he asked.
  if (LOWER_CASE.test(next) && (!isStrong || closing !== '')) return true;
  if (terminals !== '.') return false;
  const reach = Math.max(start, index - WORD_REACH);
  let wordStart = index;
  while (wordStart > reach && !WORD_BOUNDARIES.includes(line.charAt(wordStart - 1))) wordStart -= 1;
  const word = line.slice(wordStart, index);
  // “1. Open the door.”
  if (NUMBER.test(word) && line.slice(start, wordStart).trim() === '') return true;
  return wordGoesOn({ word, next, rules, language });
}

const NUMBER = /^\d{1,3}$/;
const ORDINAL = /^(?:\d{1,2}|[IVXLC]{1,6})$/;
const INITIAL = /^(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]|\p{Lu}[.-]\p{Lu})$/u;
const ACRONYM = /^(?:\p{Lu}\.)+\p{Lu}$/u;
/** Words that begin an English sentence and hardly ever a name. */
const ENGLISH_BEGINNING =
  /^["“‘(]*(?:The|A|An|It|Its|He|She|They|We|I|You|This|That|These|Those|There|His|Her|Their|Our|My|In|On|At|By|For|From|As|But|And|Or|So|If|When|While|After|Before|However|What|Who|Why|How|Where|No|Yes)\b/;

function wordGoesOn({
  word,
  next,
  rules,
  language,
}: {
  word: string;
  next: string;
  rules: AbbreviationRules;
  language: LanguageTag | undefined;
}): boolean {
  const isEnglish = language === undefined || language.toLowerCase().startsWith('en');
  const lower = word.toLowerCase();
  if (rules.goesOn.has(lower)) return true;
  if (/^\p{N}/u.test(next) && rules.beforeFigures.has(lower)) return true;
  if (rules.writesOrdinals && ORDINAL.test(word)) return true;
  if (isEnglish && word === 'I') return false;
  const isShort = INITIAL.test(word) || ACRONYM.test(word);
  return isShort && !(isEnglish && ENGLISH_BEGINNING.test(next));
}

// Abbreviations that end in a full stop within a sentence. Abbreviations that may also end one (`etc.`,
// `Inc.`, `usw.`) are not listed. In lower case, without the last full stop.

const words = (list: string): string[] => list.trim().split(/\s+/);

/** Titles and scholarly abbreviations shared by many languages. */
const common = words('dr prof mr mrs ms st vs cf ca nr no fig mt');

const byLanguage: Readonly<Record<string, string[]>> = {
  en: words(`
    sr jr rev hon gen col lt sgt capt cmdr maj adm gov sen rep pres supt messrs mme mlle fr
    e.g i.e viz approx dept est eds trans pp al u.k jan feb mar apr jun jul aug sep sept oct
    nov dec mon tue wed thu fri ave blvd rd ft ph.d ext esp incl`),
  de: words(`
    hr fr frl dipl ing jur rer h.c z.b z d.h d u.a u o.ä o.g s.o s.u bzw bspw evtl ggf
    inkl exkl zzgl abzgl vgl sog str abb bd hg hrsg jh jhd kap abs ziff geb gest verh
    mind zz zt z.t z.z z.zt i.d.r i.a i.v u.u jan febr feb apr jun jul aug sept okt nov dez
    fr n.chr v.chr bes allg lfd wg betr`),
  fr: words(`
    m mm mme mmes mlle mlles me mgr pr ste p.ex ex env éd chap fig av bd réf hab adj tél
    janv févr avr juil sept oct nov déc`),
  es: words(`
    sr sra srta sres d dña ud uds vd p.ej ej aprox avda av cap dpto dto gral ing lic núm pág
    págs pto sto sta tel izq dcha ene feb abr jun jul ago sept oct nov dic ee.uu
    ee ff jj rr`),
  it: words(`
    sig sigg sig.ra sig.na dott dott.ssa prof prof.ssa avv ing arch geom rag on ecc.mo egr gent spett
    p.es es ad.es cap pag pagg fig tel sec`),
  pt: words(`
    sr sra srta dra exmo exma d eng arq prof profa p.ex ex av cap pág págs núm tel jan fev
    abr mai jun jul ago set out nov dez`),
  nl: words(`
    dhr mevr mw drs ir ing mr bv b.v bijv m.b.t m.a.w o.a d.w.z t.a.v t.o.v i.v.m blz hfst nl ong
    resp zgn jl jan feb mrt apr jun jul aug sept okt nov dec`),
  sv: words('t.ex t ex bl.a dvs d.v.s s.k fr.o.m t.o.m kl ca resp jfr prof dir'),
  da: words('f.eks fx bl.a dvs hr kl ca jf pga mht nr'),
  nb: words('f.eks bl.a dvs hr kl ca jf pga mht nr'),
  pl: words(`
    np m.in tj tzn tzw ul al pl os św ks inż mgr hab lek red gen płk kpt ppor r godz str rys tab
    ww pt dot szt tys mln mld`),
  cs: words('např tj tzv mj ing mgr bc judr mudr phdr rndr doc csc sv ul nám čl odst č str obr r'),
  sk: words('napr tj tzv ing mgr bc judr mudr phdr doc sv ul nám čl ods č str obr r'),
  ru: words(`
    г гг ул пр просп пл пер д кв стр табл см ср им проф акад д-р канд т.е т.к т.н напр
    о обл р тыс млн млрд св гл п пп`),
  uk: words(
    'м вул просп пл буд кв стор табл див ім проф акад д-р т.зв напр о обл р тис млн млрд св гл п',
  ),
  bg: words('г ул бул пл стр фиг табл вж проф акад д-р инж т.е т.нар напр тел обл хил млн св гл'),
  ca: words('sr sra srta dra d p.ex ex av pàg pàgs núm tel c'),
  gl: words('sr sra dna p.ex ex av páx núm tel'),
  ro: words('dl dna d-na d-l dvs ing str bd nr pag ex p.ex'),
  hu: words('pl dr ifj id özv u kb ill'),
  fi: words('esim ks ns mm n v s tri prof'),
  tr: words('dr doç prof av sn örn bkz cad sok mah no'),
  el: words('κ κα κος π.χ δηλ βλ σελ αρ τηλ λ.χ'),
};

/**
 * Abbreviations only before a number; elsewhere they are words or sentence ends: `No. 5`, but `No. Never.`
 */
const beforeFigures = new Set(
  words(
    'no nr nº n° núm num n p pp s pág pag str стр с fig abb bd vol art § cap chap ch kap č tab рис мал op ca approx',
  ),
);

/** Languages that write ordinal numbers with a full stop: `am 3. Oktober`. */
const ordinalLanguages = new Set(
  words('de da nb nn no fi is et lv cs sk sl hr sr bs hu pl tr fo lb'),
);

interface AbbreviationRules {
  goesOn: ReadonlySet<string>;
  beforeFigures: ReadonlySet<string>;
  writesOrdinals: boolean;
}

const rules = new Map<string, AbbreviationRules>();

/** Returns the abbreviations of a language; for an unknown language, the shared ones. */
export function abbreviationsOf(language: LanguageTag | undefined): AbbreviationRules {
  const base = language === undefined ? '' : baseLanguage(language);
  const own = byLanguage[base];
  const key = own === undefined && !ordinalLanguages.has(base) ? '' : base;
  let found = rules.get(key);
  if (found === undefined) {
    const goesOn = new Set([...common, ...(own ?? [])]);
    // In English and the Romance languages the answer `No.` is a sentence.
    goesOn.delete('no');
    found = { goesOn, beforeFigures, writesOrdinals: ordinalLanguages.has(base) };
    rules.set(key, found);
  }
  return found;
}
