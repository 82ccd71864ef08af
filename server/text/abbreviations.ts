/**
 * Abbreviations that end in a full stop, though their sentence goes on. What may as well end a
 * sentence (`etc.`, `Inc.`, `usw.`) is not listed. In lower case, without the last full stop.
 */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';

const words = (list: string): string[] => list.trim().split(/\s+/);

/** Titles and scholarly signs that many languages share. */
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
    págs pto sto sta tel izq dcha ene feb abr jun jul ago sept oct nov dic ee.uu`),
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

/** Before a figure these go on, too; elsewhere they are words or ends: `No. 5`, but `No. Never.` */
const beforeFigures = new Set(
  words(
    'no nr nº n° núm num n p pp s pág pag str стр с fig abb bd vol art § cap chap ch kap č tab рис мал op ca approx',
  ),
);

/** Languages that write ordinal numbers with a full stop: `am 3. Oktober`. */
const ordinalLanguages = new Set(
  words('de da nb nn no fi is et lv cs sk sl hr sr bs hu pl tr fo lb'),
);

export interface AbbreviationRules {
  goesOn: ReadonlySet<string>;
  beforeFigures: ReadonlySet<string>;
  writesOrdinals: boolean;
}

const rules = new Map<string, AbbreviationRules>();

/** The abbreviations of a language; of an unknown one, those that many share. */
export function abbreviationsOf(language: LanguageTag | undefined): AbbreviationRules {
  const base = language === undefined ? '' : baseLanguage(language);
  const own = byLanguage[base];
  const key = own === undefined && !ordinalLanguages.has(base) ? '' : base;
  let found = rules.get(key);
  if (found === undefined) {
    const goesOn = new Set([...common, ...(own ?? [])]);
    // An answer is a sentence in English and the Romance languages.
    goesOn.delete('no');
    found = { goesOn, beforeFigures, writesOrdinals: ordinalLanguages.has(base) };
    rules.set(key, found);
  }
  return found;
}
