/** Words with which no sentence ends: after them a pause is one for breath or for thought. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Articles, possessives, conjunctions and the like; what may well end a sentence is not listed. */
const hanging: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words(`
    a an the my your our their its every and or but nor because if whether unless although though
    while than as so-called i'm you're we're they're i've you've we've they've i'll you'll we'll
    they'll he'll she'll it'll i'd we'd they'd such`),
  de: words(`
    ein eine einen einem einer eines und oder aber sondern denn weil dass ob wenn obwohl
    während bevor nachdem sobald falls damit mein meine meinen meinem deine deinen unser unsere unseren
    ihre ihren ihrem seine seinen seinem im am zum zur beim vom ins ans für ohne gegen
    sehr zwischen als wie sowie jede jeden jedem jeder`),
  fr: words(`
    le la les un une des du de au aux et ou mais donc car que qui si quand comme lorsque puisque
    mon ma mes ton ta tes son sa ses notre nos votre vos leurs ce cet cette ces à en dans par pour sur
    chez vers sans entre je tu il ils très chaque`),
  es: words(`
    el la los las un una unos unas y e o u pero sino porque que si cuando como aunque mientras mi mis
    tu tus su sus nuestro nuestra nuestros nuestras de del a al en con por para sin sobre entre hacia
    desde hasta según muy cada`),
  it: words(`
    il lo la i gli le un uno una e ed o ma perché che se quando come mentre mio mia miei mie tuo tua
    suo sua nostro nostra di del dello della dei degli delle a al allo alla ai agli alle da dal dalla
    in nel nella nei nelle con su sul sulla per tra fra molto ogni`),
  pt: words(`
    o a os as um uma uns umas e ou mas porque que se quando como embora enquanto meu minha meus minhas
    seu sua seus suas nosso nossa de do da dos das em no na nos nas ao aos à às com por pelo pela para
    sem sobre entre até muito cada`),
  ca: words(`
    el la els les un una uns unes i o però sinó perquè que si quan com mentre de del dels a al als en
    amb per pel pels sense sobre entre fins molt cada`),
  nl: words(`
    de het een en of maar want omdat dat als terwijl hoewel voordat nadat zodra mijn jouw onze hun
    met voor van bij tegen tussen zonder zeer elke ieder`),
  ru: words('и а но или что чтобы если когда потому в во на с со к ко от из для без при между'),
};

/** These end a question at most: “who is it for”. */
const prepositions: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words('of into from with for at to between during against among towards per via'),
};

/** Particles that stand behind their words, in scripts without blanks. */
const particles: Readonly<Record<string, RegExp>> = {
  ja: /(?:を|へ|という|そして|しかし|ので)$/u,
  zh: /(?:和|与|或者|但是|因为|所以|如果|把|被|跟)$/u,
};

const LAST_WORD = /[\p{L}\p{M}\p{N}'’-]+$/u;

/**
 * Whether a text breaks off in the middle of a sentence, judged by its last word; false for
 * languages of which no such words are known.
 *
 * @param options.isQuestion whether the text asks something
 */
export function breaksOff(
  text: string,
  { language, isQuestion }: { language: LanguageTag; isQuestion: boolean },
): boolean {
  const base = baseLanguage(language);
  const trimmed = text.trimEnd();
  if (trimmed.endsWith(',') || trimmed.endsWith('，') || trimmed.endsWith('、')) return true;
  const last = LAST_WORD.exec(trimmed)?.[0].toLowerCase().replace('’', "'") ?? '';
  if (hanging[base]?.has(last) === true) return true;
  if (!isQuestion && prepositions[base]?.has(last) === true) return true;
  return particles[base]?.test(trimmed) ?? false;
}

const LAST_UNIT = /\s*\S+\s*$/u;
const TRAILING_COMMA = /[,，、]\s*$/u;

/**
 * Where the words begin with which a text breaks off: “… the bridge | and the”. The UTF-16 position of
 * the blank before them; 0 when nothing else is there, the length when it does not break off.
 */
export function hangingPlace(text: string, language: LanguageTag): number {
  let whole = text;
  while (breaksOff(whole.replace(TRAILING_COMMA, ''), { language, isQuestion: false })) {
    whole = whole.replace(LAST_UNIT, '');
  }
  return whole.length;
}
