/**
 * English compounds of web pages and brochures (`cost-effective`, `all-inclusive`) that Apertium
 * mistranslates word by word; this table translates them. During translation an adjective that the rules know
 * stands in for each compound, so that it is placed and inflected; the translated compound then takes the
 * form of the stand-in.
 */
import { HYPHEN, type Replacement } from '../hyphenated-words.ts';

/** Singular and plural forms, masculine and feminine. */
type Forms = readonly [masculine: string, feminine: string, masculines: string, feminines: string];

/** Adjectives that stand in for compounds: they are rare in texts and follow their noun. */
const STAND_INS: readonly { english: string; es: Forms; ca: Forms }[] = [
  {
    english: 'archaic',
    es: ['arcaico', 'arcaica', 'arcaicos', 'arcaicas'],
    ca: ['arcaic', 'arcaica', 'arcaics', 'arcaiques'],
  },
  {
    english: 'volcanic',
    es: ['volcánico', 'volcánica', 'volcánicos', 'volcánicas'],
    ca: ['volcànic', 'volcànica', 'volcànics', 'volcàniques'],
  },
  {
    english: 'hydraulic',
    es: ['hidráulico', 'hidráulica', 'hidráulicos', 'hidráulicas'],
    ca: ['hidràulic', 'hidràulica', 'hidràulics', 'hidràuliques'],
  },
  {
    english: 'electrostatic',
    es: ['electrostático', 'electrostática', 'electrostáticos', 'electrostáticas'],
    ca: ['electroestàtic', 'electroestàtica', 'electroestàtics', 'electroestàtiques'],
  },
  {
    english: 'metallic',
    es: ['metálico', 'metálica', 'metálicos', 'metálicas'],
    ca: ['metàl·lic', 'metàl·lica', 'metàl·lics', 'metàl·liques'],
  },
  {
    english: 'geometric',
    es: ['geométrico', 'geométrica', 'geométricos', 'geométricas'],
    ca: ['geomètric', 'geomètrica', 'geomètrics', 'geomètriques'],
  },
];

interface Compound {
  es: Forms;
  ca: Forms;
}

/** Whether the table contains a compound. */
export function isCommonCompound(compound: string): boolean {
  return COMPOUNDS.has(compound.toLowerCase().replaceAll(HYPHEN, '-'));
}

/** Compounds of a text, with their replacements and the way back. */
export interface CommonCompounds {
  /** In order of position. */
  replacements: readonly Replacement[];
  /**
   * Returns a translation with the compounds translated; undefined when a stand-in was lost or doubled.
   *
   * @param pieces the translation, possibly in several pieces
   */
  restore: (pieces: readonly string[]) => string[] | undefined;
}

const NO_COMPOUNDS: CommonCompounds = { replacements: [], restore: (pieces) => [...pieces] };
const AND = { es: 'y', ca: 'i' };
const ONE = '(?<![\\p{L}\\p{N}@._/-])\\p{L}+(?:[-‐‑]\\p{L}+)+(?![\\p{L}\\p{N}@_/-]|\\.\\p{L})';
/** Several compounds that describe the same noun: `cost-effective, easy-to-use and high-quality`. */
const SERIES = new RegExp(`${ONE}(?:(?:, |,? and )${ONE})*`, 'gu');

/**
 * Finds the compounds of an English text that are in the table, as far as stand-ins are available.
 *
 * @param isWhole whether a part of the text may be replaced
 */
export function commonCompounds(
  text: string,
  target: string,
  isWhole: (start: number, end: number) => boolean = () => true,
): CommonCompounds {
  if ((target !== 'es' && target !== 'ca') || text.search(HYPHEN) < 0) return NO_COMPOUNDS;
  const lower = text.toLowerCase();
  const free = STAND_INS.filter(({ english }) => !lower.includes(english.slice(0, 5)));
  const replacements: Replacement[] = [];
  const stood: { pattern: RegExp; forms: Forms; translated: Forms; isUpper: boolean }[] = [];
  for (const { 0: series, index } of text.matchAll(SERIES)) {
    for (const { start, end, words } of listedRuns(series, index, isWhole)) {
      const standIn = free[stood.length];
      if (standIn === undefined) break;
      const forms = standIn[target];
      const original = text.slice(start, end);
      replacements.push({ start, end, text: capitalisedAs(original, standIn.english) });
      stood.push({
        pattern: new RegExp(`(?<!\\p{L})(?:${[...forms].reverse().join('|')})(?!\\p{L})`, 'giu'),
        forms,
        translated: joined(words, target),
        isUpper: isShouted(original),
      });
    }
  }
  if (stood.length === 0) return NO_COMPOUNDS;
  return {
    replacements,
    restore(pieces) {
      const isWhole = stood.every(
        ({ pattern }) => pieces.flatMap((piece) => piece.match(pattern) ?? []).length === 1,
      );
      if (!isWhole) return undefined;
      return pieces.map((piece) =>
        stood.reduce(
          (current, { pattern, forms, translated, isUpper }) =>
            current.replace(pattern, (found) => {
              const form = forms.indexOf(found.toLowerCase());
              return capitalisedAs(isUpper ? found.toUpperCase() : found, translated[form] ?? '');
            }),
          piece,
        ),
      );
    },
  };
}

interface Run {
  start: number;
  end: number;
  words: string[];
}

/** Returns the compounds of a series that are in the table; adjacent ones form one run. */
function listedRuns(
  series: string,
  offset: number,
  isWhole: (start: number, end: number) => boolean,
): Run[] {
  const runs: Run[] = [];
  let open: Run | undefined;
  for (const { 0: word, index } of series.matchAll(new RegExp(ONE, 'gu'))) {
    const start = offset + index;
    const end = start + word.length;
    if (open !== undefined && isCommonCompound(word) && isWhole(open.start, end)) {
      open.words.push(word);
      open.end = end;
      continue;
    }
    open =
      isCommonCompound(word) && isWhole(start, end) ? { start, end, words: [word] } : undefined;
    if (open !== undefined) runs.push(open);
  }
  return runs;
}

/** Joins the translations of several compounds. */
function joined(words: readonly string[], target: 'es' | 'ca'): Forms {
  const all = words.flatMap((word) => {
    const compound = COMPOUNDS.get(word.toLowerCase().replaceAll(HYPHEN, '-'));
    return compound === undefined ? [] : [compound[target]];
  });
  const inForm = (form: 0 | 1 | 2 | 3): string => {
    const said = all.map((forms) => forms[form]);
    const last = said.pop() ?? '';
    if (said.length === 0) return last;
    const and = target === 'es' && /^h?i(?!e)/u.test(last) ? 'e' : AND[target];
    return `${said.join(', ')} ${and} ${last}`;
  };
  return [inForm(0), inForm(1), inForm(2), inForm(3)];
}

function isShouted(word: string): boolean {
  return word.length > 1 && word === word.toUpperCase();
}

function capitalisedAs(original: string, word: string): string {
  if (isShouted(original)) return word.toUpperCase();
  if (!/^\p{Lu}/u.test(original)) return word;
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * Translations: English; Spanish; Catalan. Each has one form, two forms (singular, plural) or four forms
 * (masculine and feminine, then their plurals). Every entry can follow a noun or `is`.
 */
const compoundTable = `
action-packed; lleno de acción, llena de acción, llenos de acción, llenas de acción; ple d'acció, plena d'acció, plens d'acció, plenes d'acció
ad-free; sin anuncios; sense anuncis
age-old; ancestral, ancestrales; ancestral, ancestrals
air-conditioned; climatizado, climatizada, climatizados, climatizadas; climatitzat, climatitzada, climatitzats, climatitzades
alcohol-free; sin alcohol; sense alcohol
all-in-one; todo en uno; tot en un
all-inclusive; todo incluido; tot inclòs
all-natural; totalmente natural, totalmente naturales; totalment natural, totalment naturals
all-round; completo, completa, completos, completas; complet, completa, complets, completes
award-winning; premiado, premiada, premiados, premiadas; premiat, premiada, premiats, premiades
battery-powered; a pilas; a piles
best-in-class; líder en su clase, líderes en su clase; líder en la seva classe, líders en la seva classe
best-known; más conocido, más conocida, más conocidos, más conocidas; més conegut, més coneguda, més coneguts, més conegudes
best-selling; superventas; supervendes
brand-new; nuevo, nueva, nuevos, nuevas; nou, nova, nous, noves
budget-friendly; económico, económica, económicos, económicas; econòmic, econòmica, econòmics, econòmiques
built-in; incorporado, incorporada, incorporados, incorporadas; incorporat, incorporada, incorporats, incorporades
business-to-business; entre empresas; entre empreses
carbon-neutral; neutro en carbono, neutra en carbono, neutros en carbono, neutras en carbono; neutre en carboni, neutra en carboni, neutres en carboni, neutres en carboni
child-friendly; apto para niños, apta para niños, aptos para niños, aptas para niños; apte per a nens, apta per a nens, aptes per a nens, aptes per a nens
cloud-based; en la nube; en el núvol
cost-effective; rentable, rentables; rendible, rendibles
cost-efficient; rentable, rentables; rendible, rendibles
cost-free; gratuito, gratuita, gratuitos, gratuitas; gratuït, gratuïta, gratuïts, gratuïtes
cross-platform; multiplataforma; multiplataforma
customer-centric; centrado en el cliente, centrada en el cliente, centrados en el cliente, centradas en el cliente; centrat en el client, centrada en el client, centrats en el client, centrades en el client
cutting-edge; innovador, innovadora, innovadores, innovadoras; innovador, innovadora, innovadors, innovadores
dairy-free; sin lácteos; sense lactis
data-driven; basado en datos, basada en datos, basados en datos, basadas en datos; basat en dades, basada en dades, basats en dades, basades en dades
day-to-day; diario, diaria, diarios, diarias; diari, diària, diaris, diàries
do-it-yourself; de bricolaje; de bricolatge
door-to-door; puerta a puerta; porta a porta
drop-down; desplegable, desplegables; desplegable, desplegables
duty-free; libre de impuestos, libres de impuestos; lliure d'impostos, lliures d'impostos
easy-care; de fácil cuidado; de fàcil cura
easy-going; tranquilo, tranquila, tranquilos, tranquilas; tranquil, tranquil·la, tranquils, tranquil·les
easy-to-clean; fácil de limpiar, fáciles de limpiar; fàcil de netejar, fàcils de netejar
easy-to-follow; fácil de seguir, fáciles de seguir; fàcil de seguir, fàcils de seguir
easy-to-install; fácil de instalar, fáciles de instalar; fàcil d'instal·lar, fàcils d'instal·lar
easy-to-read; fácil de leer, fáciles de leer; fàcil de llegir, fàcils de llegir
easy-to-understand; fácil de entender, fáciles de entender; fàcil d'entendre, fàcils d'entendre
easy-to-use; fácil de usar, fáciles de usar; fàcil d'utilitzar, fàcils d'utilitzar
eco-friendly; ecológico, ecológica, ecológicos, ecológicas; ecològic, ecològica, ecològics, ecològiques
end-to-end; de extremo a extremo; d'extrem a extrem
energy-efficient; de bajo consumo; de baix consum
energy-saving; de bajo consumo; de baix consum
entry-level; básico, básica, básicos, básicas; bàsic, bàsica, bàsics, bàsiques
environment-friendly; ecológico, ecológica, ecológicos, ecológicas; ecològic, ecològica, ecològics, ecològiques
environmentally-friendly; ecológico, ecológica, ecológicos, ecológicas; ecològic, ecològica, ecològics, ecològiques
ever-changing; cambiante, cambiantes; canviant, canviants
ever-growing; creciente, crecientes; creixent, creixents
eye-catching; llamativo, llamativa, llamativos, llamativas; cridaner, cridanera, cridaners, cridaneres
face-to-face; presencial, presenciales; presencial, presencials
family-friendly; familiar, familiares; familiar, familiars
family-owned; familiar, familiares; familiar, familiars
family-run; familiar, familiares; familiar, familiars
far-reaching; de gran alcance; de gran abast
fast-acting; de acción rápida; d'acció ràpida
fast-growing; de rápido crecimiento; de creixement ràpid
fast-paced; dinámico, dinámica, dinámicos, dinámicas; dinàmic, dinàmica, dinàmics, dinàmiques
first-class; de primera clase; de primera classe
first-time; primerizo, primeriza, primerizos, primerizas; novell, novella, novells, novelles
free-range; de corral; de corral
full-featured; completo, completa, completos, completas; complet, completa, complets, completes
full-length; completo, completa, completos, completas; complet, completa, complets, completes
full-screen; a pantalla completa; a pantalla completa
full-size; de tamaño completo; de mida completa
full-time; a tiempo completo; a temps complet
fully-equipped; totalmente equipado, totalmente equipada, totalmente equipados, totalmente equipadas; totalment equipat, totalment equipada, totalment equipats, totalment equipades
fun-filled; lleno de diversión, llena de diversión, llenos de diversión, llenas de diversión; ple de diversió, plena de diversió, plens de diversió, plenes de diversió
game-changing; revolucionario, revolucionaria, revolucionarios, revolucionarias; revolucionari, revolucionària, revolucionaris, revolucionàries
gift-wrapped; envuelto para regalo, envuelta para regalo, envueltos para regalo, envueltas para regalo; embolicat per a regal, embolicada per a regal, embolicats per a regal, embolicades per a regal
gluten-free; sin gluten; sense gluten
ground-breaking; innovador, innovadora, innovadores, innovadoras; innovador, innovadora, innovadors, innovadores
half-empty; medio vacío, medio vacía, medio vacíos, medio vacías; mig buit, mig buida, mig buits, mig buides
half-price; a mitad de precio; a meitat de preu
hand-made; hecho a mano, hecha a mano, hechos a mano, hechas a mano; fet a mà, feta a mà, fets a mà, fetes a mà
hand-picked; seleccionado, seleccionada, seleccionados, seleccionadas; seleccionat, seleccionada, seleccionats, seleccionades
hands-free; manos libres; mans lliures
hands-on; práctico, práctica, prácticos, prácticas; pràctic, pràctica, pràctics, pràctiques
hard-to-find; difícil de encontrar, difíciles de encontrar; difícil de trobar, difícils de trobar
hard-wearing; resistente, resistentes; resistent, resistents
hassle-free; sin complicaciones; sense complicacions
heavy-duty; resistente, resistentes; resistent, resistents
high-end; de gama alta; de gamma alta
high-level; de alto nivel; d'alt nivell
high-performance; de alto rendimiento; d'alt rendiment
high-quality; de alta calidad; d'alta qualitat
high-resolution; de alta resolución; d'alta resolució
high-speed; de alta velocidad; d'alta velocitat
high-tech; de alta tecnología; d'alta tecnologia
home-cooked; casero, casera, caseros, caseras; casolà, casolana, casolans, casolanes
home-made; casero, casera, caseros, caseras; casolà, casolana, casolans, casolanes
in-depth; detallado, detallada, detallados, detalladas; detallat, detallada, detallats, detallades
in-house; interno, interna, internos, internas; intern, interna, interns, internes
industry-leading; líder del sector, líderes del sector; líder del sector, líders del sector
large-scale; a gran escala; a gran escala
last-minute; de última hora; d'última hora
left-handed; zurdo, zurda, zurdos, zurdas; esquerrà, esquerrana, esquerrans, esquerranes
life-changing; transformador, transformadora, transformadores, transformadoras; transformador, transformadora, transformadors, transformadores
light-weight; ligero, ligera, ligeros, ligeras; lleuger, lleugera, lleugers, lleugeres
limited-edition; de edición limitada; d'edició limitada
long-distance; de larga distancia; de llarga distància
long-lasting; duradero, duradera, duraderos, duraderas; durador, duradora, duradors, duradores
long-standing; de larga tradición; de llarga tradició
long-term; a largo plazo; a llarg termini
low-cost; de bajo coste; de baix cost
low-fat; bajo en grasa, baja en grasa, bajos en grasa, bajas en grasa; baix en greix, baixa en greix, baixos en greix, baixes en greix
made-to-measure; a medida; a mida
made-to-order; por encargo; per encàrrec
market-leading; líder del mercado, líderes del mercado; líder del mercat, líders del mercat
medium-sized; mediano, mediana, medianos, medianas; mitjà, mitjana, mitjans, mitjanes
mid-range; de gama media; de gamma mitjana
mobile-friendly; adaptado a móviles, adaptada a móviles, adaptados a móviles, adaptadas a móviles; adaptat a mòbils, adaptada a mòbils, adaptats a mòbils, adaptades a mòbils
money-back; de devolución del dinero; de devolució dels diners
mouth-watering; delicioso, deliciosa, deliciosos, deliciosas; deliciós, deliciosa, deliciosos, delicioses
much-loved; muy querido, muy querida, muy queridos, muy queridas; molt estimat, molt estimada, molt estimats, molt estimades
multi-purpose; multiusos; multiusos
multi-user; multiusuario; multiusuari
must-have; imprescindible, imprescindibles; imprescindible, imprescindibles
must-see; imprescindible, imprescindibles; imprescindible, imprescindibles
never-ending; interminable, interminables; interminable, interminables
next-day; al día siguiente; l'endemà
next-generation; de nueva generación; de nova generació
no-cost; gratuito, gratuita, gratuitos, gratuitas; gratuït, gratuïta, gratuïts, gratuïtes
no-nonsense; sensato, sensata, sensatos, sensatas; sensat, sensata, sensats, sensates
no-obligation; sin compromiso; sense compromís
non-refundable; no reembolsable, no reembolsables; no reemborsable, no reemborsables
non-stick; antiadherente, antiadherentes; antiadherent, antiadherents
non-stop; sin parar; sense parar
off-peak; en horas valle; en hores vall
off-season; fuera de temporada; fora de temporada
off-the-beaten-track; poco conocido, poco conocida, poco conocidos, poco conocidas; poc conegut, poc coneguda, poc coneguts, poc conegudes
off-the-shelf; estándar; estàndard
old-fashioned; anticuado, anticuada, anticuados, anticuadas; antiquat, antiquada, antiquats, antiquades
on-demand; bajo demanda; sota demanda
on-site; in situ; in situ
one-off; único, única, únicos, únicas; únic, única, únics, úniques
one-on-one; individual, individuales; individual, individuals
one-size-fits-all; universal, universales; universal, universals
one-stop; integral, integrales; integral, integrals
one-time; único, única, únicos, únicas; únic, única, únics, úniques
one-to-one; individual, individuales; individual, individuals
one-way; de ida; d'anada
open-air; al aire libre; a l'aire lliure
open-plan; diáfano, diáfana, diáfanos, diáfanas; diàfan, diàfana, diàfans, diàfanes
open-source; de código abierto; de codi obert
out-of-date; desactualizado, desactualizada, desactualizados, desactualizadas; desactualitzat, desactualitzada, desactualitzats, desactualitzades
out-of-the-box; listo para usar, lista para usar, listos para usar, listas para usar; llest per utilitzar, llesta per utilitzar, llestos per utilitzar, llestes per utilitzar
part-time; a tiempo parcial; a temps parcial
pay-as-you-go; de pago por uso; de pagament per ús
peer-to-peer; entre iguales; entre iguals
pet-friendly; apto para mascotas, apta para mascotas, aptos para mascotas, aptas para mascotas; apte per a mascotes, apta per a mascotes, aptes per a mascotes, aptes per a mascotes
point-of-sale; de punto de venta; de punt de venda
pop-up; emergente, emergentes; emergent, emergents
privacy-friendly; respetuoso con la privacidad, respetuosa con la privacidad, respetuosos con la privacidad, respetuosas con la privacidad; respectuós amb la privacitat, respectuosa amb la privacitat, respectuosos amb la privacitat, respectuoses amb la privacitat
purpose-built; construido a medida, construida a medida, construidos a medida, construidas a medida; construït a mida, construïda a mida, construïts a mida, construïdes a mida
read-only; de solo lectura; de només lectura
ready-made; ya preparado, ya preparada, ya preparados, ya preparadas; ja preparat, ja preparada, ja preparats, ja preparades
ready-to-eat; listo para comer, lista para comer, listos para comer, listas para comer; llest per menjar, llesta per menjar, llestos per menjar, llestes per menjar
ready-to-use; listo para usar, lista para usar, listos para usar, listas para usar; llest per utilitzar, llesta per utilitzar, llestos per utilitzar, llestes per utilitzar
ready-to-wear; listo para llevar, lista para llevar, listos para llevar, listas para llevar; llest per portar, llesta per portar, llestos per portar, llestes per portar
real-life; real, reales; real, reals
real-time; en tiempo real; en temps real
real-world; real, reales; real, reals
right-handed; diestro, diestra, diestros, diestras; dretà, dretana, dretans, dretanes
risk-free; sin riesgo; sense risc
same-day; en el mismo día; el mateix dia
sea-view; con vistas al mar; amb vistes al mar
second-hand; de segunda mano; de segona mà
self-catering; sin pensión; sense pensió
self-cleaning; autolimpiable, autolimpiables; autonetejable, autonetejables
self-explanatory; evidente, evidentes; evident, evidents
shock-proof; a prueba de golpes; a prova de cops
short-term; a corto plazo; a curt termini
side-by-side; lado a lado; costat a costat
small-scale; a pequeña escala; a petita escala
so-called; así llamado, así llamada, así llamados, así llamadas; així anomenat, així anomenada, així anomenats, així anomenades
solar-powered; solar, solares; solar, solars
sold-out; agotado, agotada, agotados, agotadas; exhaurit, exhaurida, exhaurits, exhaurides
state-of-the-art; de última generación; d'última generació
step-by-step; paso a paso; pas a pas
stress-free; sin estrés; sense estrès
sugar-free; sin azúcar; sense sucre
tailor-made; a medida; a mida
tax-free; libre de impuestos, libres de impuestos; lliure d'impostos, lliures d'impostos
third-party; de terceros; de tercers
thought-provoking; sugerente, sugerentes; suggeridor, suggeridora, suggeridors, suggeridores
time-consuming; laborioso, laboriosa, laboriosos, laboriosas; laboriós, laboriosa, laboriosos, laborioses
time-saving; que ahorra tiempo, que ahorran tiempo; que estalvia temps, que estalvien temps
toll-free; gratuito, gratuita, gratuitos, gratuitas; gratuït, gratuïta, gratuïts, gratuïtes
top-level; de alto nivel; d'alt nivell
top-notch; excelente, excelentes; excel·lent, excel·lents
top-quality; de máxima calidad; de màxima qualitat
top-rated; mejor valorado, mejor valorada, mejor valorados, mejor valoradas; millor valorat, millor valorada, millor valorats, millor valorades
two-factor; de dos factores; de dos factors
up-and-coming; prometedor, prometedora, prometedores, prometedoras; prometedor, prometedora, prometedors, prometedores
up-to-date; actualizado, actualizada, actualizados, actualizadas; actualitzat, actualitzada, actualitzats, actualitzades
up-to-the-minute; de última hora; d'última hora
user-friendly; fácil de usar, fáciles de usar; fàcil d'utilitzar, fàcils d'utilitzar
value-added; de valor añadido; de valor afegit
wall-mounted; de pared; de paret
water-resistant; resistente al agua, resistentes al agua; resistent a l'aigua, resistents a l'aigua
web-based; basado en la web, basada en la web, basados en la web, basadas en la web; basat en el web, basada en el web, basats en el web, basades en el web
well-designed; bien diseñado, bien diseñada, bien diseñados, bien diseñadas; ben dissenyat, ben dissenyada, ben dissenyats, ben dissenyades
well-documented; bien documentado, bien documentada, bien documentados, bien documentadas; ben documentat, ben documentada, ben documentats, ben documentades
well-equipped; bien equipado, bien equipada, bien equipados, bien equipadas; ben equipat, ben equipada, ben equipats, ben equipades
well-established; consolidado, consolidada, consolidados, consolidadas; consolidat, consolidada, consolidats, consolidades
well-known; conocido, conocida, conocidos, conocidas; conegut, coneguda, coneguts, conegudes
well-made; bien hecho, bien hecha, bien hechos, bien hechas; ben fet, ben feta, ben fets, ben fetes
well-paid; bien pagado, bien pagada, bien pagados, bien pagadas; ben pagat, ben pagada, ben pagats, ben pagades
well-prepared; bien preparado, bien preparada, bien preparados, bien preparadas; ben preparat, ben preparada, ben preparats, ben preparades
wi-fi-enabled; con wifi; amb wifi
wide-ranging; amplio, amplia, amplios, amplias; ampli, àmplia, amplis, àmplies
work-life; entre trabajo y vida; entre feina i vida
world-class; de talla mundial; de talla mundial
world-famous; mundialmente famoso, mundialmente famosa, mundialmente famosos, mundialmente famosas; mundialment famós, mundialment famosa, mundialment famosos, mundialment famoses
world-renowned; de renombre mundial; de renom mundial
year-round; todo el año; tot l'any
zero-waste; sin residuos; sense residus
`;

const COMPOUNDS: ReadonlyMap<string, Compound> = new Map(
  compoundTable
    .trim()
    .split('\n')
    .map((line) => {
      const [english = '', es = '', ca = ''] = line.split('; ');
      return [english, { es: formsOf(es), ca: formsOf(ca) }];
    }),
);

function formsOf(listed: string): Forms {
  const [first = '', second = first, third, fourth] = listed.split(', ');
  if (third === undefined || fourth === undefined) return [first, first, second, second];
  return [first, second, third, fourth];
}
