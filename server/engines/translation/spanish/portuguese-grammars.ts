/**
 * The grammars of Debian's modes from Spanish to Portuguese, that of Portugal and that of Brazil, on which the way from
 * English to Portuguese depends as well. They read Spanish as those to French do. The modes decline and contract well;
 * the grammars choose tenses, words and phrases.
 */
import {
  DELIMITERS,
  entriesOf,
  inBothSizes,
  indexed,
  lemmasOf,
  phraseRules,
  type GrammarTexts,
} from '../grammars.ts';
import { BLANKS, READING, SPANISH_SETS } from './french-grammars.ts';
import { GENERAL, PASSIVE } from './english-words.ts';
import { newReadings, nounRules, wordRules } from './french-words.ts';
import { type WrongWords } from './italian-grammars.ts';

/** The tables of one variant, beside those of both. */
interface Variant {
  nouns: string;
  verbs: string;
  phrases: string;
  /** Further rules of the source grammar, and of the target grammar. */
  rules: string;
  targetRules: string;
}

/** As in the tables of French words. */
const NOUNS = `
  sitio: site m, dirección: endereço m endereços, carpeta: pasta f, cambio: alteração f, búsqueda: pesquisa f, plantilla: modelo m,
  habitación: quarto m, cena: jantar m, plato: prato m, correo: e-mail m e-mails, pan: pão m, pantano: pântano m,
  dispositivo: dispositivo m, medicina: medicamento m, pueblo: aldeia f, propósito: objetivo m, bolsa: saco m, vaso: copo m,
  prueba: teste m, fallo: erro m, herramienta: ferramenta f, seguidor: seguidor m, comida: comida f, mensaje: mensagem f,
  encabezamiento: cabeçalho m, idioma: idioma m, contraseña: senha f, tecla: tecla f, red: rede f, tarea: tarefa f, coma: vírgula f, fracaso: falha f, gafa: óculo m,
  basura: lixo m, ubicación: localização f localizações, apoyo: suporte m, puntero: cursor m cursores, marcador: favorito m
`;

/** Nouns that the dictionary does not have. */
const NEW_NOUNS = `
  sed f: sede f sedes, pescado m: peixe m peixes, plugin m: plugin m plugins, widget m: widget m widgets,
  gnomo m: gnomo m gnomos, elfo m: elfo m elfos, orco m: orc m orcs, folleto m: folheto m folhetos, grifo m: grifo m grifos,
  altavoz m: altifalante m altifalantes, salpicadero m: painel m painéis, rastreador m: localizador m localizadores,
  moderación f: moderação f moderações, calibración f: calibração f calibrações, preestreno m: pré-visualização f pré-visualizações,
  router m: router m routers, cartucho m: cartucho m cartuchos, apellido m: apelido m apelidos, babosa f: lesma f lesmas,
  troll m: troll m trolls, módem m: modem m modems, paraguas m: guarda-chuva m guarda-chuvas, intrusión f: intrusão f intrusões, avatar m: avatar m avatares
`;

/** Verb forms that the dictionary does not have. */
const NEW_FORMS = `ven: venir imp p2 sg`;

const VERBS = `
  añadir: adicionar, introducir: introduzir, elegir: escolher, iniciar: iniciar, utilizar: utilizar, coger: pegar, quedar: ficar, contestar: responder, rellenar: preencher,
  conectar: ligar, aparcar: estacionar, lograr: conseguir, intentar: tentar, comprobar: verificar, mover: mover,
  pulsar: clicar, pulsar=: pressionar, imprimir: imprimir, encantar=: adorar, inutilizar: desativar, apoyar: suportar, encantar=: adorar, arreglar: arranjar, reiniciar: reiniciar
`;

const ADJECTIVES = `actual: atual, válido: válido, largo: longo, exquisito: delicioso`;

const ADVERBS = `quizás: talvez, quizá: talvez, actualmente: atualmente, temprano: cedo, enseguida: já`;

/** Whole phrases. */
const SAID_OTHERWISE = `
  lo siento: desculpe, lo siento mucho: sinto muito, lo sentimos: lamentamos, ^gracias$: obrigado, gracias por: obrigado por,
  muchas gracias por: muito obrigado por, gracias a: graças a, muchísimas gracias: muitíssimo obrigado, por favor: por favor, por_favor: por favor,
  ^buenos_días: bom dia, ^buenos días: bom dia, ^buenas_tardes: boa tarde, ^buenas tardes: boa tarde, ^buenas_noches: boa noite, ^buenas noches: boa noite,
  ^hasta mañana: até amanhã, ^hasta luego: até logo, ^hasta pronto: até breve, ^hasta la vista: até à vista,
  hasta la semana que viene: até à próxima semana, la semana que viene: na próxima semana, el mes que viene: no próximo mês,
  el año que viene: no próximo ano, esta_noche: esta noite, y media: e meia, y cuarto: e um quarto, menos cuarto: menos um quarto,
  de lunes a viernes: de segunda a sexta-feira, de lunes al viernes: de segunda a sexta-feira, antes de viernes: antes de sexta-feira,
  de lunes a sábado: de segunda-feira a sábado, de lunes al sábado: de segunda-feira a sábado,
  de lunes a domingo: de segunda-feira a domingo, de lunes al domingo: de segunda-feira a domingo,
  cada día: todos os dias, cada mañana: todas as manhãs, cada noche: todas as noites, cada semana: todas as semanas, cada año: todos os anos,
  ^qué te pasa: o que se passa, ^qué pasa: o que se passa, qué pasó: o que aconteceu, ^qué ha pasado: o que aconteceu, ^qué ocurrió: o que aconteceu,
  es cierto: é verdade, es verdad: é verdade, de_hecho: na verdade, ^vamos a ir$: vamos, ^vámonos: vamos embora, tengo_que irme: tenho de ir embora,
  tengo que irme: tenho de ir embora, tenemos que irnos: temos de ir embora, ^encantado de conocerte: muito prazer, ^encantada de conocerte: muito prazer,
  me encuentro mal: não me sinto bem, ^felicidades: parabéns, felicitaciones: parabéns, ^enhorabuena: parabéns, ^feliz cumpleaños: feliz aniversário,
  ^feliz navidad: feliz Natal, todo recto: sempre em frente, todo_recto: sempre em frente, creo_que sí: acho que sim, creo que sí: acho que sim, creo que no$: acho que não,
  llego tarde: estou atrasado, llegas tarde: estás atrasado, llega tarde: está atrasado, llego_tarde: estou atrasado,
  correo electrónico: e-mail, dirección de correo electrónico: endereço de e-mail, sitio web: site, página web: página web,
  política de privacidad: política de privacidade, más información: mais informações, ^sobre nosotros: sobre nós, a_la izquierda: à esquerda,
  contacta con_nosotros: contacte-nos, contáctanos: contacte-nos, ponte en contacto con_nosotros: contacte-nos,
  no se han encontrado resultados: nenhum resultado encontrado, se ha producido un error: ocorreu um erro, algo salió mal: algo correu mal,
  incapaz de: não foi possível, alguna vez: alguma vez, para dos$: para dois, fecha límite: prazo, ^recordarme$: lembrar-me, crea cuenta$: criar conta, preguntas frecuentes: perguntas frequentes, por_la_mañana: de manhã, por_la_tarde: à tarde, por_la_noche: à noite,
  por la mañana: de manhã, por la tarde: à tarde, por la noche: à noite, de la mañana: da manhã, de la tarde: da tarde, de la noche: da noite,
  mañana por la mañana: amanhã de manhã, mañana por la tarde: amanhã à tarde, mañana por la noche: amanhã à noite,
  lo antes posible: o mais depressa possível, quedo a la espera de: fico à espera de,
  cuánto se tarda en: quanto tempo demora a, cuánto se tarda: quanto tempo demora, ojalá: oxalá, señoras y señores: senhoras e senhores,
  debajo de: debaixo de, hace poco: há pouco, otra vez: outra vez, de acuerdo: de acordo, ^perdona: desculpa, ^perdone: desculpe, ^perdón: desculpe, ^disculpe: desculpe,
  en línea: online, desde luego: claro, desde_luego: claro, además: além disso, al_principio: no início, por_fin: finalmente, inalámbrico: sem fios, inalámbrica: sem fios, inalámbricos: sem fios, inalámbricas: sem fios, así_que: por isso, por_supuesto: claro,
  bienvenidos a: bem-vindos a, bienvenido a: bem-vindo a, no importa: não importa, todo_el_mundo: toda a gente, a_casa: para casa, al_menos: pelo menos, al menos: pelo menos
`;

/** Words for whose something is, by its number. */
const POSSESSIVES = `
  mi: sg, tu: sg, su: sg, nuestro: sg, nuestra: sg, vuestro: sg, vuestra: sg,
  mis: pl, tus: pl, sus: pl, nuestros: pl, nuestras: pl, vuestros: pl, vuestras: pl
`;

const PORTUGAL: Variant = {
  nouns: `
  archivo: ficheiro m, contraseña: palavra-passe f palavras-passe, pantalla: ecrã m, usuario: utilizador m, enlace: ligação f, aplicación: aplicação f,
  ratón: rato m, móvil: telemóvel m, baño: casa_de_banho f casas_de_banho, desayuno: pequeno-almoço m, autobús: autocarro m, artículo: artigo m
`,
  verbs: `descargar: transferir, subir=: carregar, compartir: partilhar`,
  phrases: `te echo de menos: tenho saudades tuas, te echo_de_menos: tenho saudades tuas, te extraño: tenho saudades tuas, te quiero$: amo-te, cerrar sesión: terminar sessão, cierra sesión: termina sessão, ^cargando$: a carregar, ^configuración$: definições, nombre de usuario: nome de utilizador, estás seguro de que: tens a certeza de que, estás segura de que: tens a certeza de que, está seguro de que: tem a certeza de que`,
  rules: String.raw`
# You can help me, I will call you.
SUBSTITUTE (pro) (enc) CLITIC IF (NOT 0 ("se"i) OR ("Se")) (1 MODAL) (2 (inf)) (NOT 2 (enc)) (-1 BEGINS OR N OR SUBJECT) ;
SUBSTITUTE (pro) (enc) CLITIC IF (NOT 0 ("se"i)) (1 ("ir"i)) (2 ("<a>")) (3 (inf)) (NOT 3 (enc)) (-1 BEGINS OR N OR SUBJECT) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"%u$1") MODAL IF (-1 ("Me" enc) OR ("Te" enc) OR ("Nos" enc) OR ("Le" enc) OR ("Lo" enc)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"%l$1") (prn enc) IF (1 MODAL OR ("ir"i)) ;
MOVE (prn enc) (1 MODAL) (2 (inf)) AFTER (2 (inf)) ;
MOVE (prn enc) (1 ("ir"i)) (2 ("<a>")) (3 (inf)) AFTER (3 (inf)) ;
# Its article before a possessive; pages and programs ask politely.
${entriesOf(POSSESSIVES)
  .map(([possessive, number]) =>
    inBothSizes(
      (sized) =>
        `ADDCOHORT ("<+el>" "${sized('el')}" det def m ${number}) BEFORE ("<${sized(possessive)}>") IF (0 (det pos)) (NOT -1 DET) (NOT 1 TITLE) (NEGATE -1 BEGINS LINK 3 ENDS) ;`,
    ),
  )
  .join('\n')}
SUBSTITUTE ("([^>]*)"r) (VSTR:"%l$1") ("Mío") OR ("Tuyo") OR ("Suyo") OR ("Nuestro") OR ("Vuestro") IF (-1 ("<+el>")) ;
SUBSTITUTE (p2) (p3) (imp) IF (0 OF_PAGES) (0 (p2)) (NOT 0 (enc)) ;
SUBSTITUTE (p2) (p3) (p2) IF (0 V) (NOT 0 (enc)) (-1* OF_PAGES + (imp p3 sg) BARRIER (sent)) ;
SUBSTITUTE (p2) (p3) (p2) IF (0 V) (NOT 0 (enc)) (1* OF_PAGES + (imp p3 sg) BARRIER (sent)) ;
SUBSTITUTE ("tuyo") ("suyo") ("tuyo") IF (-1* OF_PAGES + (imp p3 sg) BARRIER (sent)) ;
SUBSTITUTE ("tuyo") ("suyo") ("tuyo") IF (1* OF_PAGES + (imp p3 sg) BARRIER (sent)) ;
`,
  // Tell me: the mode's form is obsolete.
  targetRules: 'SUBSTITUTE (imp p2 sg) (pri p3 sg) ("dizer" imp) OR ("Dizer" imp) ;',
};

const BRAZIL: Variant = {
  nouns: `usuario: usuário m, pantalla: tela f, enlace: link m links, aplicación: aplicativo m, apellido: sobrenome m, móvil: celular m, baño: banheiro m`,
  verbs: `descargar: baixar, guardar: salvar, eliminar: excluir, subir=: enviar, coger: pegar`,
  phrases: `te echo de menos: sinto sua falta, te echo_de_menos: sinto sua falta, te extraño: sinto sua falta, te quiero$: eu te amo, cerrar sesión: sair, cierra sesión: saia, dámelo: me dê isso, ^cargando$: carregando, nombre de usuario: nome de usuário, estás seguro de que: tem certeza de que, está seguro de que: tem certeza de que, algo salió mal: algo deu errado, todo_el_mundo: todo mundo, inalámbrico: sem fio, inalámbrica: sem fio, inalámbricos: sem fio, inalámbricas: sem fio`,
  rules: [
    'SUBSTITUTE (p2) (p3) (imp) IF (0 (p2)) (NOT 0 (enc)) ;',
    // I will call you.
    inBothSizes(
      (sized) =>
        `SUBSTITUTE ("${sized('te')}" p2 mf) ("${sized('lo')}" p3 m) ("<${sized('te')}>") IF (1 ("ir")) (NOT 1 (p2)) (2 ("<a>")) ;`,
    ),
  ].join('\n'),
  targetRules: '',
};

export const spanishToPortuguese = (): GrammarTexts => grammarsOf(PORTUGAL);
export const spanishToBrazilian = (): GrammarTexts => grammarsOf(BRAZIL);

/** Verbs with which pages and programs ask for something. */
const OF_PAGES = `
  pulsar seleccionar introducir elegir arrastrar instalar configurar activar desactivar iniciar reiniciar conectar descargar comprobar
  añadir editar eliminar contactar actualizar visitar subir ajustar personalizar copiar pegar insertar verificar especificar ocultar cambiar rellenar
`;

/** Persons, by which tenses are chosen. */
const PERSONS = ['p1 sg', 'p2 sg', 'p3 sg', 'p1 pl', 'p2 pl', 'p3 pl'];

/** Forms of `haber` that say what there is, which the generator does not know. */
const THERE_IS =
  'había: havia, hubo: houve, habría: haveria, habrá: haverá, haya: haja, hubiera: houvesse, hubiese: houvesse, haber: haver, habido: houve';

function grammarsOf({ nouns, verbs, phrases, rules, targetRules }: Variant): GrammarTexts {
  const said = phraseRules(`${phrases}, ${SAID_OTHERWISE.trim()}`, 'cnjadv');
  return {
    source: indexed(`${DELIMITERS}${SPANISH_SETS}
LIST ADDED = "<+de>" "<+el>" "<+en>" "<+ser>" ; LIST QUEUED = "[^#]*#.*"r ;
LIST TITLE = "majestad"i "alteza"i "señoría"i "excelencia"i ; LIST OF_PAGES = ${lemmasOf(OF_PAGES)} ;
SET MODAL = ("poder"i) OR ("querer"i) OR ("deber"i) ;
LIST PASSIVE = ${lemmasOf(PASSIVE)} "desactivar" "instalar" "descargar" "enviar" "cancelar" "anular" "abrir" "deshacer" "ocultar" "compartir" "imprimir" ;
SET PASSED = ("<+ser>") OR ("<ha>" "ser") OR ("<han>" "ser") ;
LIST GENERAL = ${lemmasOf(GENERAL)} "pescado=" "fútbol" ;
LIST MONTH = "enero" "febrero" "marzo" "abril" "mayo" "junio" "julio" "agosto" "septiembre" "octubre" "noviembre" "diciembre" ;
BEFORE-SECTIONS
${newReadings(NEW_NOUNS, NEW_FORMS).join('\n')}
${READING}
${said.source.join('\n')}
${CONSTRUCTIONS}
${pastRules().join('\n')}
${thereIs()}
${rules}
${BLANKS}SECTION
`),
    target: indexed(
      [
        `${DELIMITERS}BEFORE-SECTIONS`,
        'REMCOHORT ("@ø<s>") ;',
        'SECTION',
        ...said.target,
        ...nounRules(`${NOUNS.trim()}, ${nouns}`),
        ...nounRules(NEW_NOUNS.replaceAll(/ [mf]:/g, '=:')),
        ...wordRules(`${VERBS.trim()}, ${verbs}`, 'vblex'),
        ...wordRules(ADJECTIVES, 'adj'),
        ...wordRules(ADVERBS, 'adv'),
        TARGET,
        targetRules,
      ].join('\n'),
    ),
  };
}

/** `He perdido`: Portuguese says what has happened in the simple past. */
const pastRules = (): string[] => [
  ...PERSONS.map(
    (person) =>
      `SUBSTITUTE (n m sg) (vblex ifi ${person} past) ("estado") IF (0 N) (-1 (vbhaver pri ${person})) ;`,
  ),
  'SUBSTITUTE ("estado") ("estar") (past) ;',
  ...PERSONS.map(
    (person) => `SUBSTITUTE (pp m sg) (ifi ${person} past) (pp) IF (-1 (vbhaver pri ${person})) ;`,
  ),
  'SUBSTITUTE ("([^>]*)"r) (VSTR:"%u$1") (past) IF (-1 ("Haber")) ;',
  'REMCOHORT (vbhaver) IF (1 (past)) ;',
  'SUBSTITUTE (past) (*) (past) ;',
];

/** `Había`: what there was is another verb than what one had. */
const thereIs = (): string =>
  entriesOf(THERE_IS)
    .map(([form]) =>
      inBothSizes(
        (sized) =>
          `APPEND ("${sized(form)}=" cnjadv) ("<${sized(form)}>") IF (NOT 1 (pp) OR (adv)) (NOT -1 (vbhaver)) (NOT 0 (enc)) ;\nSELECT ("${sized(form)}=") ;`,
      ),
    )
    .join('\n');

/** Constructions that Portuguese expresses differently. */
const CONSTRUCTIONS = String.raw`
SELECT ("pescado=") OR ("sed=") OR ("pan" n) ;
SELECT ("venir"i imp) IF (0 ("<ven>"i)) (-1 BEGINS) (NOT 1 DET) ;
SELECT (imp p2) IF (0 ("decir"i imp)) (0 ("<di>"i)) (-1 BEGINS) (NOT 2 ("<a>")) ;
SELECT ("quedar"i) IF (0 ("<quedo>"i)) (NOT -1 V) ;
REMOVE N IF (0 (imp p2 sg) OR (imp p3 sg)) (-1 BEGINS) (1 DET OR ("<a>") OR ("<al>")) ;
SELECT (imp p3) IF (-1 BEGINS) (0 (imp p3)) (NOT -1 (lquest)) (1 DET OR (num)) (NOT 0 ("querer"i) OR ("ser"i) OR ("haber"i) OR ("estar"i)) ;
SELECT (imp) IF (0 ORDER OR OF_PAGES) (0 (imp p2)) (-1 BEGINS OR ("<por favor>"i)) (NOT -1 (lquest)) (NOT 0 N) (NOT 1 V OR (num) OR ("<del>") OR ("<al>")) ;
SELECT (imp p2) IF (-1 BEGINS) (0 (imp p2)) (NOT -1 (lquest)) (1 ("tuyo")) ;
SELECT (imp p2) IF (-1 BEGINS OR ("<por favor>"i)) (0 ("esperar"i)) (1 ENDS OR (adv)) ;
SELECT (imp p2) IF (-1 ("<y>") OR (cm)) (0 ORDER OR OF_PAGES) (0 (imp p2)) (-2* (imp) BARRIER (sent)) ;
# You, the many.
SUBSTITUTE (p2) (p3) (p2) IF (0 (pl)) (0 V) ;
REMCOHORT ("usted"i) IF (-1 V) (NOT -1 (inf)) ;
# Water.
SUBSTITUTE (m) (f) ("<el>") OR ("<El>") OR ("<EL>") IF (1 (n f)) ;
# Whom one sees.
REMCOHORT ("<a>") IF (-1 SEEN OR ("llamar"i) OR ("ver"i) OR ("buscar"i)) (1 DET OR (np ant) OR ("<nadie>") OR ("<alguien>")) ;
REMCOHORT ("<a>") IF (-1 (pp)) (-1 SEEN OR ("ver"i)) (1 DET OR (np ant) OR ("<nadie>") OR ("<alguien>")) ;
${inBothSizes((sized) => `SUBSTITUTE ("${sized('le')}" mf) ("${sized('lo')}" m) ("<${sized('le')}>") IF (1 SEEN) (NOT 2 (def)) ;`)}
# Who likes what.
REMCOHORT ("<A>" pr) IF (-1 START) (1* LIKED BARRIER V) ;
MOVE ("mucho" adv) (-1 N) (-2 DET) (-3 LIKED) (1 ENDS) AFTER (-3 LIKED) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+$1") DET IF (-1 ("mucho" adv)) (-2 LIKED) ;
REMCOHORT (def) IF (-1 LIKED) (1 (n pl) OR GENERAL) (2 ENDS) ;
REMCOHORT (def) IF (-1 ("mucho" adv)) (-2 LIKED) (1 (n pl) OR GENERAL) (2 ENDS) ;
${entriesOf('me: p1 sg, te: p2 sg, le: p3 sg, nos: p1 pl, os: p3 pl, les: p3 pl')
  .map(
    ([clitic, person]) =>
      `SUBSTITUTE ("encantar" p3 sg pl) ("encantar=" ${person}) ("encantar" p3) IF (-1 ("<${clitic}>"i)) ;`,
  )
  .join('\n')}
SUBSTITUTE ("([^>]*)"r) (VSTR:"%u$1") ("encantar=") IF (-1 START) ;
SELECT ("encantar=") ;
REMCOHORT CLITIC IF (1 ("encantar=")) ;
# It has been saved, it could not be opened.
SUBSTITUTE ("haber" vbhaver pri) ("ser" vbser ifi) ("haber") IF (0 (pri p3)) (-1 ("<se>")) (1 PASSIVE + (pp)) (-2 N OR NO) (NOT -3 ("<que>")) ;
SUBSTITUTE ("haber" vbhaver pri) ("ser" vbser ifi) ("haber") IF (0 (pri p3)) (-1 ("<se>")) (1 PASSIVE + (pp)) (-2 (pp) OR ADJ) (-3 N) ;
REMCOHORT ("<se>") IF (1 ("ser" ifi) LINK 0 ("<ha>") OR ("<han>")) ;
ADDCOHORT ("<+ser>" "ser" vbser inf) AFTER ("poder") IF (-1 ("<se>")) (1 PASSIVE + (inf)) (-2 N OR NO) (NOT -3 ("<que>")) ;
REMCOHORT ("<se>") IF (2 ("<+ser>")) ;
SUBSTITUTE (inf) (pp m sg) (inf) IF (-1 ("<+ser>")) ;
SUBSTITUTE (m) (f) (pp) IF (-1 PASSED) (-1* (n f) OR (n m) BARRIER (sent) LINK 0 (n f)) ;
SUBSTITUTE (sg) (pl) (pp) IF (-1 PASSED + (pl)) ;
SUBSTITUTE (sg) (pl) (pp) IF (-1 ("<+ser>")) (-2 (pl)) ;
# I need.
ADDCOHORT ("<+de>" "de" pr) AFTER ("necesitar"i) IF (1 DET OR N OR (num) OR ADJ OR (inf) OR (np)) (NOT -1 CLITIC) (NOT 0 (pp)) ;
# I would like.
SUBSTITUTE (pis) (pii) ("querer"i pis) IF (-1 START) ;
SELECT (p1) IF (0 ("querer"i pii)) (-1 START) ;
# For two years.
REMCOHORT ("<hace>") IF (-1 ("<desde>"i)) ;
SUBSTITUTE (".*"r pr) ("há=" cnjadv) ("<desde>"i) IF (1 (num) OR DET) (2 TIME) ;
SUBSTITUTE (".*"r pr) ("há=" cnjadv) ("<durante>"i) IF (1 (num)) (2 TIME) (-1* ("<estado>") BARRIER (sent)) ;
${inBothSizes((sized) => `SUBSTITUTE (".*"r vblex pri p3 sg) ("${sized('há')}=" cnjadv) ("<${sized('hace')}>") IF (1 (num) OR DET OR ("mucho")) (2 TIME OR ("<que>")) ;`)}
${PERSONS.map((person) => `SUBSTITUTE (pp m sg) (pri ${person} lasting) ("estar") IF (0 (pp)) (-1 (vbhaver pri ${person})) (1 (ger)) ;`).join('\n')}
${PERSONS.map((person) => `SUBSTITUTE (n m sg) (vblex pri ${person} lasting) ("estado") IF (0 N) (-1 (vbhaver pri ${person})) (1 (ger)) ;`).join('\n')}
SUBSTITUTE ("estado") ("estar") (lasting) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"%u$1") (lasting) IF (-1 ("Haber")) ;
REMCOHORT (vbhaver) IF (1 (lasting)) ;
SUBSTITUTE (lasting) (*) (lasting) ;
# No milk.
REMCOHORT ("ninguno" det) IF (1 MASS OR ("tiempo")) (-1 ("tener"i) OR ("hay"i)) ;
# Is breakfast included, within ten days.
MOVE ("ser"i) OR ("estar"i) (0 (p3)) (-1 START OR (lquest)) (1 DET) (2 N) (3 ADJ OR (pp)) (1* ("<?>")) AFTER (2 N) ;
${inBothSizes((sized) => `SUBSTITUTE ("${sized('ser')}" vbser) ("estar" vblex) ("${sized('ser')}" p3) IF (-1 N) (-2 DET) (-3 START OR (lquest)) (1 (pp) OR ("libre")) (1* ("<?>")) ;`)}
SUBSTITUTE ("([^>]*)"r) (VSTR:"%l$1") ("Ser") OR ("Estar") IF (-1 N) ;
ADDCOHORT ("<+de>" "de" pr) AFTER ("dentro"i) IF (1 (num)) ;
# New message, I have just arrived, it is possible to do that.
ADD (moved) ("nuevo" adj) (-1 N) (NOT -1 QUEUED) (NOT -2 ADJ) (NOT 1 ADJ OR ("<y>") OR ("<que>") OR ("<de>")) ;
MOVE (moved) (-1 N) BEFORE (-1 N) ;
SELECT N IF (-1 (moved)) ;
SUBSTITUTE (pri) (ifi) ("acabar"i pri) IF (1 ("<de>")) (2 (inf)) ;
REMCOHORT ("<de>") IF (-1 ("posible")) (1 (inf)) (-2 ("ser"i)) ;
SELECT ("Ser") IF (0 ("<Sé>")) (1 ADJ) (-1 BEGINS) ;
SUBSTITUTE (".*"r vblex imp p2 pl) ("id=" cnjadv) ("<ID>") ;
SPLITCOHORT ("<muy>" "muy" preadv "<importante>" "ø<s>+importante" adj mf sg) ("<muy importante>") ;
# When you arrive, if you want.
SUBSTITUTE (prs) (fts) (prs) IF (-1 ("cuando"i)) ;
SUBSTITUTE (prs) (fts) (prs) IF (-1* ("cuando"i) BARRIER V OR (sent) OR (cm)) ;
SUBSTITUTE (pri) (fts) ("tener") OR ("querer") OR ("necesitar") OR ("desear") IF (0 (p2)) (-1 ("si" cnjadv)) ;
SUBSTITUTE (pri) (fts) (pri) IF (0 (vblex) OR (vbmod)) (-1* ("si"i cnjadv) BARRIER V OR (sent) OR (cm) LINK -1 BEGINS) ;
# On the 5th of May.
SUBSTITUTE (".*"r det def m sg) ("en=el=día=" cnjadv) ("<el>") IF (1 (num)) (2 ("<de>")) (3 MONTH) (NOT -1 (pr)) ;
# Click on the button, press the key.
${inBothSizes((sized) => `SUBSTITUTE ("${sized('pulsar')}") ("${sized('pulsar')}=") ("${sized('pulsar')}") IF (1 ("tecla") OR (np) OR ("tabulador")) ;`)}
${inBothSizes((sized) => `SUBSTITUTE ("${sized('pulsar')}") ("${sized('pulsar')}=") ("${sized('pulsar')}") IF (2 ("tecla") OR ("tabulador")) ;`)}
ADDCOHORT ("<+en>" "en" pr) AFTER ("pulsar"i) IF (1 DET OR N OR (inf)) ;
SUBSTITUTE ("sobre" pr) ("en" pr) ("<sobre>") IF (-1 ("pulsar"i)) ;
# Upload a file.
${inBothSizes((sized) => `SUBSTITUTE ("${sized('subir')}") ("${sized('subir')}=") ("${sized('subir')}") IF (1* ("archivo") OR ("imagen") OR ("foto") OR ("documento") OR ("video") BARRIER V) ;`)}
`;

/** Portuguese words and forms. */
const TARGET = [
  // What are you doing.
  inBothSizes(
    (sized) =>
      `SUBSTITUTE (".*"r prn itg mf sg sp) ("*${sized('o que')}") ("<${sized('qué')}>") IF (1 (vblex) OR (vbser) OR (vbmod) OR (vbhaver) OR (prn pro) OR ("<no>")) (NOT -1 (pr)) ;`,
  ),
  ...entriesOf(`${THERE_IS}, há: há`).map(([spanish, form]) =>
    inBothSizes(
      (sized) => `SUBSTITUTE (".*"r cnjadv) ("*${sized(form)}") ("@${sized(spanish)}=") ;`,
    ),
  ),
  'SUBSTITUTE (".*"r cnjadv) ("*no dia") ("@en=el=día=") ;',
  'SUBSTITUTE (".*"r cnjadv) ("*ID") ("@id=") ;',
  'SUBSTITUTE ("lembrar") ("acordar") ("<acordar>") IF (NOT -1 (prn pro)) (NOT 1 (prn enc)) ;',
  'SUBSTITUTE ("menino" m) ("criança" f) ("<niño>") IF (0 (n m pl)) ;',
  'SUBSTITUTE (".*"r m) ("base de dados" f) ("<base# de datos>") OR ("<Base# de datos>") IF (0 (sg)) ;',
  'SUBSTITUTE (".*"r m) ("bases de dados" f) ("<base# de datos>") OR ("<Base# de datos>") IF (0 (pl)) ;',
  inBothSizes(
    (sized) =>
      `SUBSTITUTE (".*"r) ("${sized('cerca de')}") ("<${sized('cerca de')}>") IF (0 (adv)) ;`,
  ),
].join('\n');

// What the modes write that is not Portuguese. They do not join the phrases of the grammar with articles, and spell as
// before the reform of 1990.

/** Countries with an article, by it. */
const WITH_ARTICLE: Readonly<Record<string, string>> = {
  o: String.raw`Porto(?! \p{Lu})|verão|inverno|outono|Rio de Janeiro|Brasil|Japão|Canadá|México|Reino Unido|Peru|Chile|Egito|Egipto|Equador|Uruguai|Paraguai|Iraque|Irão|Irã|Líbano|Luxemburgo|Vietname|Vietnã`,
  a: 'primavera|Alemanha|China|Rússia|Índia|Argentina|Suíça|Áustria|Bélgica|Grécia|Turquia|Austrália|Colômbia|Venezuela|Polónia|Polônia|Suécia|Noruega|Dinamarca|Irlanda|Escócia|Holanda|Hungria|Europa|Ásia',
  os: 'Estados Unidos',
};
const JOINED: Readonly<Record<string, string>> = { em: 'n', de: 'd', por: 'pel' };

const IN_BOTH: WrongWords = [
  ...Object.entries(WITH_ARTICLE).map(([article, countries]): WrongWords[number] => [
    new RegExp(String.raw`(?<!\p{L})(?:[Ee]m|[Dd]e) (?=(?:${countries})(?!\p{L}))`, 'gu'),
    (found) => `${JOINED[found.trim().toLowerCase()]}${article} `,
  ]),
  [/(?<!\p{L})dantes(?= d[aeo])/giu, 'antes'],
  // Thanks for the help.
  [
    /(?<=(?<!\p{L})(?:obrigado|espera|debaixo|bem-vindos?|demora) )(?:por|de|a) [oa]s?(?= \p{L}{2})(?! (?:minha|tua|sua|[nv]ossa))(?! \p{L}+[aeio]r(?!\p{L}))/giu,
    (found) =>
      found
        .toLowerCase()
        .replace(/^(\S+) ([oa]s?)$/u, (_found, preposition: string, article: string) =>
          preposition === 'a'
            ? article.replace('a', 'à').replace('o', 'ao')
            : `${JOINED[preposition]}${article}`,
        ),
  ],
  // Near the river, but about twenty.
  [/(?<!\p{L})cerca(?= d(?:[oa]s?|aqui|ali|e (?:casa|mim|ti|si))(?![\p{L}\d])(?! \d))/giu, 'perto'],
  [/(?<!\p{L})pára(?!\p{L})/giu, 'para'],
  [/(?<=(?<!\p{L})até) a(?= (?:segunda|terça|quarta|quinta|sexta)-feira)/giu, ''],
  // We met, we stay.
  [/(?<=(?<!\p{L})\p{L}{1,20}mo)s(?=-nos(?!\p{L}))/giu, ''],
  [/(?<=(?<!\p{L})fi(?:co|cas?|camo?|cou|car|que))-(?:me|te|se|nos)(?!\p{L})/giu, ''],
  [/(?<!\p{L})em (?=(?:isso|isto|aquilo|el[ea]s?)(?!\p{L}))/giu, 'n'],
  // On the 5th of May; because I saw you.
  [
    /(?<!\p{L})em \d\d?\.º de (?:janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)(?: \d{4})?/giu,
    (found) =>
      found.replace(
        /^em (\d+)\.º de (\p{L}+)(?: (\d+))?/iu,
        (_found, day: string, month: string, year?: string) =>
          `no dia ${day} de ${month.toLowerCase()}${year === undefined ? '' : ` de ${year}`}`,
      ),
  ],
  [
    /(?<=(?<!\p{L})(?:porque|quando|enquanto|embora|se|que|não|nunca|já) )\p{L}+-(?:me|te|se|lhes?|nos|vos|[oa]s?)(?![\p{L}-])/giu,
    (found) => found.replace(/^(.*)-(\p{L}+)$/u, '$2 $1'),
  ],
];

/** What precedes consonants that are no longer written, and what follows them: `acção`, `directo`, `óptimo`. */
const SILENT = [
  String.raw`(?<=(?<!\p{L})(?:re|des|in|inter|retro)?a)c(?=ç|cion|tiv[oaií]|tiv(?:ar|ou|em)|tual|tuar|tor(?!\p{L})|tores|triz|tos?(?!\p{L}))`,
  String.raw`(?<=(?<!\p{L})(?:re|in|co|des|auto)?(?:dire|corre|sele|prote|dete|cole|afe|efe|obje|proje|perspe|respe|aspe|arquite|inse|inspe|ele|elé|infe|inje|reje|refle|exa|frá|fra|tra|atra|extra|abstra|contra|subtra|distra|reda|redu|ve|se(?=ctor)|fa(?=ctur)|tá|no(?=cturn)|le(?=ctiv)|didá))c(?=[tçc][aeiouráéíóúãõ])(?!t(?:ory|ion|e|ing|ive))`,
  String.raw`(?<=(?<!\p{L})ó)p(?=tim)|(?<=(?<!\p{L})o)p(?=timiz)|(?<=(?<!\p{L})(?:re)?ado)p(?=[tç][aeiouã])|(?<=(?<!\p{L})(?:exce|rece|conce|perce|dece))p(?=ç|cion|to(?!\p{L}))|(?<=(?<!\p{L})egi)p(?=to)`,
];

export const NOT_BRAZILIAN: WrongWords = [
  ...IN_BOTH,
  [/(?<!\p{L})segua(?!\p{L})/giu, 'siga'],
  [/(?<=(?<!\p{L})cara)(?=teres(?!\p{L}))/giu, 'c'],
  [/(?<=[qg])ü(?=[eéiíê])/gu, 'u'],
  [/ô(?=os?(?!\p{L}))/gu, 'o'],
  [/(?<=\p{L})éi(?=as?(?!\p{L}))/gu, 'ei'],
  // I cannot hear you.
  [
    /(?<=(?<!\p{L})(?:poss|pod|quer|quis|dev)\p{L}{0,6} )você \p{L}+[aei]r(?!\p{L})/giu,
    (found) => found.replace(/^(\S+) (\S+)$/u, '$2 $1'),
  ],
  [/(?<!\p{L})connosco(?!\p{L})/giu, 'conosco'],
  [/(?<=(?<!\p{L})(?:foi|foram|ser|é|são|sido) )salvad(?=[oa]s?(?!\p{L}))/giu, 'salv'],
  [
    /(?<=(?<!\p{L})(?:pod|quer|dev)\p{L}{0,6})-(?=(?:me|te|nos|lhe|se) \p{L}+[aei]r(?!\p{L}))/giu,
    ' ',
  ],
  [new RegExp(SILENT[0] ?? '', 'giu'), ''],
];

export const NOT_PORTUGUESE: WrongWords = [
  ...IN_BOTH,
  // My house: the article agrees.
  [
    /(?<!\p{L})(?<!(?:obrigado por|espera de|debaixo de|bem-vindos? a|demora a) )(?:[nd]|pel)?os?(?= (?:minha|tua|sua|[nv]ossa)s?(?!\p{L}))/giu,
    (found) => found.replace(/o(?=s?$)/u, 'a').replace(/O(?=s?$)/u, 'A'),
  ],
  [
    /(?<=(?:obrigado|espera|debaixo|bem-vindos?|demora) )(?:por|de|a) os?(?= (?:minha|tua|sua|[nv]ossa)s?(?!\p{L}))/giu,
    (found) => found.replace('por o', 'pela').replace('de o', 'da').replace('a o', 'à'),
  ],
  [/(?<!\p{L})ao(?=s? (?:minha|tua|sua|[nv]ossa)s?(?!\p{L}))/giu, 'à'],
  [/(?<!\p{L})conosco(?!\p{L})/giu, 'connosco'],
  // When you arrive, call me.
  [
    /(?<=, )(?:me|te|lhes?) (?!\p{L}+ndo(?!\p{L}))\p{L}+(?! \p{L}+-)/gu,
    (found) => found.replace(/^(\S+) (\S+)$/u, '$2-$1'),
  ],
  [
    /(?<=(?<!\p{L})t(?:en(?:ho|s)|em|êm|inha|inhas|inham|erá|eria) )que(?= \p{L}+r(?:-|(?!\p{L})))/giu,
    'de',
  ],
  [/(?<=(?<!\p{L})(?:[Dd]es|[Rr]e)?[Aa])c(?=tive[sm]? \p{Ll})/gu, ''],
  [/(?<=(?<!\p{L})regist)r(?=[oae])/giu, ''],
  [new RegExp(SILENT.join('|'), 'giu'), ''],
];
