/**
 * The grammars of Debian's mode from Spanish to Italian, on which the way from English to Italian depends as well. They
 * read Spanish as those to French do. The mode drops reflexive pronouns and knows no requests, so the source grammar
 * hands these over with tags of its own, which the target grammar replaces.
 */
import {
  DELIMITERS,
  entriesOf,
  inBothSizes,
  indexed,
  lemmasOf,
  phraseRules,
  wordsOf,
  type GrammarTexts,
} from '../grammars.ts';
import { BLANKS, READING, SPANISH_SETS } from './french-grammars.ts';
import { newReadings, nounRules, wordRules } from './french-words.ts';

/** As in the tables of French words. */
const NOUNS = `
  archivo: file m file, sitio: sito m, tema: tema m, red: rete f, tiempo: tempo m, basura: cestino m, pueblo: paese m,
  manera: modo m, botón: pulsante m, servidor: server m, mina: miniera f, carácter: carattere m, ubicación: posizione f,
  piedra: pietra f, herramienta: strumento m, plantilla: modello m, ruta: percorso m, suerte: fortuna f,
  estación: stazione f, asiento: posto m, abrigo: cappotto m, almuerzo: pranzo m, mar: mare m, propósito: scopo m, volumen: volume m, prenda: indumento m, recurso: risorsa f, confirmación: conferma f, fila: riga f,
  artefacto: artefatto m, grifo: grifone m, noroeste: nord-ovest m nord-ovest, idioma: lingua f, pez: pesce m,
  marcador: segnalibro m segnalibri, eliminación: eliminazione f eliminazioni, maestro: maestro m, encabezamiento: intestazione f,
  material: materiale m materiali, joya: gioiello m, mesa: tavolo m, dato: dato m, sesión: sessione f, comida: cibo m,
  charla: intervento m interventi, cita: appuntamento m appuntamenti, móvil: cellulare m, reserva: prenotazione f,
  película: film m, fallo: errore m, billete: biglietto m, plazo: termine m, mañana: mattina f mattine, padre: padre m genitori, comando: comando m, bandeja: cartella f
`;

/** Nouns that the dictionary does not have. */
const NEW_NOUNS = `
  orco m: orco m orchi, elfo m: elfo m elfi, tabulador m: tabulazione f tabulazioni, plugin m: plugin m plugin,
  widget m: widget m widget, jinete m: cavaliere m cavalieri, web m: web m web, adaptador m: adattatore m adattatori,
  duende m: goblin m goblin, troll m: troll m troll, taxonomía f: tassonomia f tassonomie, puntero m: puntatore m puntatori,
  controlador m: driver m driver, prefijo m: prefisso m prefissi, subtítulo m: sottotitolo m sottotitoli,
  portapapeles m: appunti m appunti, router m: router m router, boletín m: newsletter f newsletter, líder m: capo m capi,
  ponente m: relatore m relatori, ogro m: ogre m ogre, guarida f: tana f tane, escondrijo m: nascondiglio m nascondigli,
  caravana f: carovana f carovane, equivocación f: errore m errori, salpicadero m: bacheca f bacheche,
  preestreno m: anteprima f anteprime, minero m: minatore m minatori, ciudadela f: cittadella f cittadelle,
  borrador m: bozza f bozze, hardware m: hardware m hardware, diapositiva f: diapositiva f diapositive,
  patrulla f: pattuglia f pattuglie, jinetes m: cavaliere m cavalieri,
  instalador m: programma_di_installazione m programmi_di_installazione, papelera f: cestino m cestini, escritorio m: scrivania f scrivanie, enlace m: link m link,
  ascensor m: ascensore m ascensori, hamburguesa f: hamburger m hamburger, mantequilla f: burro m burri,
  muelle m: molo m moli, estacionamiento m: parcheggio m parcheggi, aparcamiento m: parcheggio m parcheggi,
  historial m: cronologia f cronologie, entrante m: antipasto m antipasti, champaña f: champagne m champagne,
  auricular m: auricolare m auricolari, coincidencia f: coincidenza f coincidenze, niñera f: tata f tate,
  moderación f: moderazione f moderazioni, carrito m: carrello m carrelli, gatito m: gattino m gattini,
  pescado m: pesce m pesci, pedido m: ordine m ordini, spam m: spam m spam, lagarto m: lucertola f lucertole, monolito m: monolito m monoliti, policía f: polizia f polizie, sed f: sete f seti, ratón m: mouse m mouse
`;

/** Verb forms that the dictionary does not have. */
const NEW_FORMS = `
  haz: hacer req, pon: poner req, ven: venir req, di: decir req, ten: tener req, cancela: cancelar= req,
  comprueba: comprobar req, compruebo: comprobar pri p1 sg, cancelar: cancelar= inf, cancelado: cancelar= pp m sg,
  duda: dudar= pri p3 sg, dudo: dudar= pri p1 sg, expirado: expirar= pp m sg, caducado: expirar= pp m sg
`;

/** Stems of requests with pronouns behind them: \`dame\`, \`dígame\`. */
const REQUESTS = `
  da: dar, di: decir, haz: hacer, pon: poner, lláma: llamar, espéra: esperar, ayúda: ayudar, díga: decir prs, déje: dejar prs,
  deja: dejar, déja: dejar, mándá: mandar, envía: enviar, muéstra: mostrar, dé: dar prs, perdóna: perdonar, escúcha: escuchar,
  mira: mirar, míra: mirar, cuénta: contar, explíca: explicar, tráe: traer, trae: traer, tráiga: traer prs, lléva: llevar,
  léve: llevar prs, llé: llevar, ábre: abrir, ciérra: cerrar, prúeba: probar, pruéba: probar, guárda: guardar, lee: leer,
  escríbe: escribir, úsa: usar, tóma: tomar, cómpra: comprar, llévate: llevar, pregúnta: preguntar, sígue: seguir,
  contácta: contactar, háble: hablar prs, lláme: llamar prs, ayúde: ayudar prs, espére: esperar prs, permíta: permitir prs,
  siénta: sentar, quéda: quedar, levánta: levantar, prepára: preparar, acompáña: acompañar, asegúra: asegurar
`;

const VERBS = `
  conseguir: ottenere, utilizar: utilizzare, introducir: inserire, comprobar: verificare, mover: spostare,
  restaurar: ripristinare, apoyar: supportare, enlazar: collegare, conectar: collegare, colocar: posizionare,
  solicitar: richiedere, listar: elencare, regresar: tornare, aprender: imparare, preguntar: chiedere, soltar: rilasciare,
  pulsar: premere, pulsar=: cliccare, fallar: fallire, complacer: piacere, proceder: procedere, aumentar: aumentare, cancelar=: annullare,
  dudar=: dubitare, expirar=: scadere, oscurecer: oscurare, reiniciar: riavviare, iniciar: avviare, localizar: trovare, presionar: premere
`;

const ADJECTIVES = `
  actual: attuale, listo: pronto, obligatorio=: obbligatorio, incorrecto: errato, anterior: precedente, posterior: successivo, siguiente: successivo, derecho: destro,
  remoto: remoto, visual: visivo, externo: esterno, diferente: diverso, vacío: vuoto, visible: visibile
`;

const ADVERBS = `
  encima: sopra, sólo: solo, solo: solo, solamente: solo, ahora: ora, alrededor: intorno, finalmente: infine,
  aproximadamente: circa, meramente: semplicemente, mejor: meglio, peor: peggio, actualmente: attualmente
`;

/** Whole phrases. */
const SAID_OTHERWISE = `
  lo siento: mi dispiace, lo siento mucho: mi dispiace molto, lo sentimos: ci dispiace, muchas gracias: grazie mille,
  muchas gracias por: grazie mille per, muchas gracias a: grazie mille a, gracias por: grazie per, gracias a: grazie a, muchísimas gracias: grazie infinite,
  ^buenas_tardes: buon pomeriggio, ^buenas noches: buonasera, ^hasta mañana: a domani, ^hasta luego: a dopo,
  ^hasta_pronto: a presto, ^hasta la semana que viene: alla prossima settimana, de_nada: prego, ^hola: ciao,
  ^cómo te llamas: come ti chiami, ^qué tal: come va, ^cuánto cuesta: quanto costa, ^cuánto cuestan: quanto costano,
  ^cuánto es: quant'è, ^dónde está: dov'è, ^dónde están: dove sono, ^qué es: che cos'è, ^quién es: chi è,
  me duele: mi fa male, me duelen: mi fanno male, te duele: ti fa male, te duelen: ti fanno male, le duele: gli fa male,
  este es: questo è, esta es: questa è, ese es: quello è, esa es: quella è,
  estos son: questi sono, estas son: queste sono, esto: questo, eso: questo, eso_es: questo è, dámelo: dammelo, dímelo: dimmelo,
  y media: e mezza, y cuarto: e un quarto, menos cuarto: meno un quarto, el lunes: lunedì, el martes: martedì,
  el miércoles: mercoledì, el jueves: giovedì, el viernes: venerdì, el sábado: sabato, el domingo: domenica,
  los lunes: il lunedì, los martes: il martedì, los miércoles: il mercoledì, los jueves: il giovedì,
  los viernes: il venerdì, los sábados: il sabato, los domingos: la domenica,
  de lunes a viernes: dal lunedì al venerdì, de lunes al viernes: dal lunedì al venerdì,
  de lunes a sábado: dal lunedì al sabato, de lunes al sábado: dal lunedì al sabato,
  de lunes a domingo: dal lunedì alla domenica, de lunes al domingo: dal lunedì alla domenica,
  la semana que viene: la prossima settimana, el mes que viene: il mese prossimo, el año que viene: l'anno prossimo,
  la semana pasada: la settimana scorsa, esta_noche: stasera, esta tarde: questo pomeriggio, esta_mañana: stamattina,
  a_casa: a casa, tarde: tardi, temprano: presto, más tarde: più tardi, todo el mundo: tutti, ^creo_que sí: credo di sì,
  ^creo_que no$: credo di no, no importa: non importa, ^de acuerdo$: d'accordo, te echo_de_menos: mi manchi,
  os echo_de_menos: mi mancate, te extraño: mi manchi, ^qué_pasa: che succede, ^qué te pasa: che hai, ^feliz cumpleaños: buon compleanno,
  ^feliz navidad: buon Natale, ^feliz año nuevo: buon anno, buena suerte: buona fortuna, buen viaje: buon viaggio,
  ^buen provecho: buon appetito, que tengas un buen día: buona giornata, que tenga un buen día: buona giornata,
  ^encantado de conocerte: piacere di conoscerti, ^bienvenidos a: benvenuti in, ^bienvenido a: benvenuto in,
  ^bienvenido: benvenuto, ^bienvenidos: benvenuti, bienvenidos de_nuevo: bentornato, me encuentro mal: non mi sento bene,
  iniciar sesión: accedi, inicia sesión: accedi, inicia sesión en: accedi a, cerrar sesión: esci, cierra sesión: esci,
  correo electrónico: e-mail, dirección de correo electrónico: indirizzo e-mail, sitio web: sito web, página web: pagina web,
  guardar cambios: salva modifiche, los cambios: le modifiche, tus cambios: le tue modifiche, sus cambios: le sue modifiche,
  añadir al carrito: aggiungi al carrello, más información: maggiori informazioni, ^sobre nosotros: chi siamo,
  contacta con nosotros: contattaci, contáctanos: contattaci, ponte en contacto con nosotros: contattaci,
  no se han encontrado resultados: nessun risultato trovato, se ha producido un error: si è verificato un errore,
  algo salió mal: qualcosa è andato storto, ^agotado: esaurito, ^cargando: caricamento in corso, ^configuración$: impostazioni, página no encontrada: pagina non trovata, ^no encontrado: non trovato,
  ^envío gratis: spedizione gratuita, política de privacidad: informativa sulla privacy, suscríbete a: iscriviti a, ^regístrate: registrati, términos y condiciones: termini e condizioni,
  condiciones de uso: condizioni d'uso, tarjeta regalo: carta regalo, horario de apertura: orari di apertura,
  última actualización: ultimo aggiornamento, acceso denegado: accesso negato, inténtalo de_nuevo: riprova,
  inténtelo de_nuevo: riprovi, vuelve a intentarlo: riprova, vuelva a intentarlo: riprovi, asegúrate de que: assicurati che,
  asegúrate de: assicurati di, la versión más tardía: l'ultima versione, para libre: gratuitamente, de forma gratuita: gratuitamente,
  gratis: gratis, seguro de que quieres: sicuro di voler, segura de que quieres: sicura di voler, seguro de que quiere: sicuro di voler,
  haz clic: fai clic, haga clic: faccia clic, tengo_que irme: devo andare, tenemos_que irnos: dobbiamo andare, ^vamos a ir$: andiamo, ^vamos$: andiamo, ^vámonos: andiamo,
  ^perdón: scusa, ^perdona: scusa, ^perdone: scusi, ^disculpe: scusi, ^no$: no, ^damas y caballeros: signore e signori,
  ^señoras y señores: signore e signori, me alegro de que: sono contento che, nos alegramos de que: siamo contenti che, espero_que: spero che, por_la_mañana: di mattina, por_la_noche: di sera,
  de_la_mañana: del mattino, de la tarde: del pomeriggio, de la noche: di sera, pasado_mañana: dopodomani, anoche: ieri sera,
  todo_recto: sempre dritto, sigue todo_recto: vai sempre dritto,  a la izquierda: a sinistra, a la derecha: a destra, lo antes posible: il prima possibile, por_supuesto: certo,
  así_que: quindi, después_de_que: dopo che, en_absoluto: affatto, error al: errore nel, al_menos: almeno,
  avísame: fammi sapere, a_caballo: a cavallo, cállate: stai zitto, siéntese: si accomodi, ^vete: vattene, se fue: se n'è andato, me fui: me ne sono andato, se fueron: se ne sono andati, cuídate: abbi cura di te, cómo se dice: come si dice, no lo sé: non lo so,
  dónde: dove, por tarjeta: con la carta, pagar por tarjeta: pagare con la carta, pagar con tarjeta: pagare con la carta,
  es cierto: è vero, es verdad: è vero, tecla de tabulador: tasto Tab, de_momento: per ora, la cuenta$: il conto,
  tu cuenta: il tuo account, su cuenta: il suo account, mi cuenta: il mio account, llego_tarde: sono in ritardo,
  llegas_tarde: sei in ritardo, llega_tarde: è in ritardo, por el banco: in banca, al banco: in banca, cuenta de usuario: account utente, nombre de usuario: nome utente,
  a_punto: pronto, nada que: niente da, vistas al mar: vista sul mare, vista al mar: vista sul mare, cuánto se tarda: quanto ci vuole,
  ayer: ieri, hoy: oggi, mañana: domani, juntos: insieme, juntas: insieme, ^qué pasó: che è successo, por la tarde: di pomeriggio,
  ^qué ha pasado: che è successo, ^qué ocurrió: che è successo, no emparejan: non corrispondono, crea una cuenta: crea un account,
  crear una cuenta: crea un account, ^leer más$: leggi tutto, ^mostrar más$: mostra altro, ^mostrar menos$: mostra meno, ^atrás$: indietro,
  gracias por venir: grazie per essere venuto, un correo: un'e-mail, bandeja de entrada: posta in arrivo, ^siguiente$: avanti,
  no tienes permiso para: non hai il permesso di, no tienes permisos suficientes para: non hai i permessi per,
  ^incapaz de: impossibile, a tiempo: in tempo, hace poco: poco fa, alguna_vez: mai, vamos a ver: vediamo, de_hecho: infatti
`;

/** Countries and regions, before which *in* stays. */
const COUNTRIES = `
  Italia España Francia Alemania Inglaterra Portugal Suiza Austria Bélgica Grecia Turquía Rusia China Japón India Canadá
  México Argentina Brasil Chile Perú Colombia Cuba Venezuela Marruecos Egipto África Europa Asia América Australia Polonia
  Suecia Noruega Dinamarca Finlandia Irlanda Escocia Holanda Hungría Rumanía Croacia Ucrania Corea Israel Cataluña
  Andalucía Galicia California Sicilia Toscana Cerdeña Lombardía Estados=Unidos Reino=Unido Gran=Bretaña
`;

/** Forms of adjectives that the dictionary does not have. */
const newAdjectives = (): string[] =>
  entriesOf(
    'mucha: mucho adj ind f sg, muchos: mucho adj ind m pl, muchas: mucho adj ind f pl, obligatorio: obligatorio= adj m sg, obligatoria: obligatorio= adj f sg, obligatorios: obligatorio= adj m pl',
  ).map(([form, reading]) => {
    const [lemma = '', ...tags] = wordsOf(reading);
    return inBothSizes(
      (sized) => `APPEND ("${sized(lemma)}" ${tags.join(' ')}) ("<${sized(form)}>") ;`,
    );
  });

/** Pronouns that stand behind requests. */
const ENCLITICS =
  'me: p1 mf sg, te: p2 mf sg, lo: p3 m sg, la: p3 f sg, los: p3 m pl, las: p3 f pl, le: p3 mf sg, nos: p1 mf pl';

/** Verbs that form their past with *essere*. */
const OF_MOTION = `ir llegar nacer morir venir salir entrar volver regresar quedar partir caer crecer estar ser`;

const WITH_ESSERE = `andare arrivare nascere morire venire uscire entrare tornare ritornare rimanere restare partire cadere crescere stare diventare scadere essere`;

/** Nouns and adjectives before which *quello* is *quel*. */
const PLAIN = ['n', 'adj']
  .map((kind) => `("(?:[bcdfhlmnqrtvw]|g[^n]|p[^s]|s[aeiou]).*"r ${kind})`)
  .join(' ');

/** Pronouns, what they are in Italian, and their person and number. */
const PRONOUNS =
  'me: mi p1 mf sg, te: ti p2 mf sg, se: si ref p3 mf sp, le: gli p3 m sg, les: gli p3 m sg, nos: ci p1 mf pl, os: vi p2 mf pl';

export const spanishToItalian = (): GrammarTexts => ({
  source: indexed(`${DELIMITERS}${SPANISH_SETS}
LIST ADDED = "<+de>" "<+haber>" "<+ya>" "<+apenas>" "<+bisogno>" "<+pro>" "<+nunca>" ; LIST QUEUED = "[^#]*#.*"r ;
LIST COUNTRY = ${lemmasOf(COUNTRIES)} ; LIST MOTION = ${lemmasOf(OF_MOTION)} ;
BEFORE-SECTIONS
${newReadings(NEW_NOUNS, NEW_FORMS.replaceAll(' req', ' pri p3 sg req')).join('\n')}
${newAdjectives().join('\n')}
${requestsWithPronouns().join('\n')}
SELECT V IF (0 ("<vino>")) (-1 N OR (np) OR CLITIC OR ("<quién>"i) OR ("<nadie>"i)) (NOT -1 V OR DET) ;
SELECT V IF (0 ("<vino>"i)) (1 ("<a>") OR ("<a casa>") OR ("<ayer>")) (NOT -1 V OR DET OR (pr)) ;
${READING}
${phraseRules(SAID_OTHERWISE, 'cnjadv').source.join('\n')}
${CONSTRUCTIONS}
${keptPronouns().join('\n')}
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+$1") (*) - ENDS IF (-1 ("<+enc>")) (NOT 0 (enc)) ;
SUBSTITUTE SUB:-1 ("([^>]*)"r) (VSTR:"ø<s>+%l$1") V IF (-1 ("<+enc>")) (0 (enc)) ;
${BLANKS}SECTION
`),
  target: indexed(
    [
      `${DELIMITERS}LIST ESSERE = ${lemmasOf(WITH_ESSERE)} "arrivare#.*"r ;LIST PLAIN = ${PLAIN} ;\nBEFORE-SECTIONS`,
      'REMCOHORT ("@ø<s>") ;',
      'SECTION',
      ...phraseRules(SAID_OTHERWISE, 'cnjadv').target,
      'SUBSTITUTE (GD) (m) ("<mesa>") OR ("<Mesa>") ;',
      ...nounRules(NOUNS),
      ...nounRules(NEW_NOUNS.replaceAll(/ [mf]:/g, '=:')),
      ...wordRules(VERBS, 'vblex'),
      ...wordRules(ADJECTIVES, 'adj'),
      ...wordRules(ADVERBS, 'adv'),
      TARGET,
    ].join('\n'),
  ),
});

/** `Dame`, `dígame`: the dictionary has no requests with pronouns, and few without. */
function requestsWithPronouns(): string[] {
  return [
    ...entriesOf(REQUESTS).flatMap(([stem, verb]) => {
      const [lemma = '', polite] = verb.split(' ');
      const tags = polite === undefined ? 'pri p3 sg req' : 'prs p3 sg';
      return entriesOf(ENCLITICS).map(([pronoun]) =>
        inBothSizes(
          (sized) =>
            `APPEND ("${sized(lemma)}" vblex ${tags} ask-${pronoun}) ("<${sized(stem)}${pronoun}>") ;`,
        ),
      );
    }),
    ...entriesOf(ENCLITICS).flatMap(([pronoun, tags]) => [
      `ADDCOHORT ("<+enc>" "${pronoun}" prn enc ${tags}) AFTER (req ask-${pronoun}) ;`,
      `ADDCOHORT ("<+pro>" "${pronoun}" prn pro ${tags}) BEFORE (prs ask-${pronoun}) ;`,
      `SUBSTITUTE (ask-${pronoun}) (*) (ask-${pronoun}) ;`,
    ]),
  ];
}

/** The mode drops pronouns that agree with their verb: `me llamo`, `le gusta`. A tag that it does not know keeps them. */
const keptPronouns = (): string[] =>
  entriesOf(PRONOUNS).map(([pronoun]) =>
    inBothSizes(
      (sized) =>
        `SUBSTITUTE (".*"r prn pro ref p1 p2 p3 mf sg sp pl) ("${sized('me')}" prn pro kept-${pronoun}) ("<${sized(pronoun)}>") IF (0 CLITIC) (1 (vblex)) (NOT 1 (inf)) (NOT 0 ("lo") OR ("Lo")) ;`,
    ),
  );

/** Constructions that Italian expresses differently. */
const CONSTRUCTIONS = String.raw`
SELECT (vbmod) IF (0 (cnjsub)) (1 (inf) OR (enc)) ;
SELECT ("pescado=") OR ("policía=") OR ("sed=") ;
SELECT ("ver"i) IF (0 ("<ve>"i)) (1 DET) ;
SELECT V IF (0 ("<pienso>"i) OR ("<habla>"i)) (NOT -1 DET OR ADJ OR (pr)) ;
SELECT ("ir") OR ("Ir") IF (0 ("ser"i ifi)) (1 ("<a>") OR ("<al>") OR ("<a casa>")) ;
REMOVE ("ir") OR ("Ir") IF (0 ("ser"i ifi)) (1 DET OR N OR ADJ OR (pp) OR (preadv) OR (np)) ;
REMOVE ("este" n) OR ("Este" n) IF (NOT -1 DET) ;
REMOVE (p3) IF (0 (p1 sg) - (prs)) (-1* ("yo"i tn) BARRIER V) ;
SELECT (p1) IF (0 (cni p1 sg)) (1* ("<yo>") BARRIER (sent)) ;
# Requests.
SUBSTITUTE (imp p2 sg) (pri p3 sg req) (imp p2 sg) ;
SUBSTITUTE (pri p3 sg) (pri p3 sg req) ORDER + (pri p3 sg) IF (-1 START OR ("<por favor>"i)) (NOT 1 V OR ("<calor>") OR ("<frío>") OR ("<sol>") OR ("<viento>") OR ("<mucho>") OR (num)) (NOT 0* ("<?>")) ;
SUBSTITUTE (pri p3 sg) (pri p3 sg req) ORDER + (pri p3 sg) IF (-1 ("<y>") OR (cm)) (-2* (req) BARRIER (sent)) ;
SUBSTITUTE (pri p3 sg) (pri p3 sg req) ORDER + (pri p3 sg) IF (-1 (cm)) (1 DET OR (num)) (-2* ("si"i cnjadv) OR ("para"i) BARRIER (sent)) ;
SELECT (req) IF (-1 BEGINS) (NOT 0 V - (req)) (NOT 1 V) ;
REMOVE (req) IF (0 ("<di>"i) OR ("<ven>"i) OR ("<ve>"i)) (1 DET) (NOT 2 ("<verdad>") OR ("<nombre>")) ;
SELECT (req) IF (0 ORDER) (-1 BEGINS) ;
SELECT (req) IF (-1 START) (1 DET OR (num) OR ENDS OR ("<+enc>")) (NOT 0* ("<?>")) ;
REMOVE (req) IF (0 V - (req)) ;
SUBSTITUTE (inf) (pri p3 sg req) (vblex inf) IF (-1 START) (NOT 0 (enc)) (1 N OR DET OR ENDS OR (np) OR ("<a>") OR ("<aquí>")) (NOT 1* V - (inf) - (pp) BARRIER (rel)) ;
SUBSTITUTE (prs p2 sg) (inf) (prs p2 sg) IF (-1 NO) (-2 BEGINS) ;
# It is closed, he is in the garden.
SUBSTITUTE (ger) (pp m sg) (ger) IF (-1 ("<estado>")) (-2 (vbhaver)) ;
SELECT (pp) IF (-1 ("<estado>")) ;
REMCOHORT ("<estado>") IF (-1 (vbhaver)) (1 (pp)) ;
SUBSTITUTE ("estar" vblex) ("ser" vbser) ("estar") IF (NOT 1 (ger) OR ("<bien>") OR ("<mal>") OR ("<mejor>") OR ("<peor>") OR (pp)) (NOT -1 ("cómo"i)) ;
SUBSTITUTE ("Estar" vblex) ("Ser" vbser) ("Estar") IF (NOT 1 (ger) OR ("<bien>") OR ("<mal>") OR ("<mejor>") OR ("<peor>") OR (pp)) ;
# I would like, who likes what, I saw him.
${inBothSizes((sized) => `SUBSTITUTE ("${sized('le')}" mf) ("${sized('lo')}" m) ("<${sized('le')}>") IF (1 SEEN) (NOT 2 (def)) ;`)}
REMCOHORT ("<le>"i) OR ("<les>"i) IF (1 LIKED) (-1 N OR (np) OR SUBJECT) ;
REMCOHORT ("<le>"i) OR ("<les>"i) IF (1 LIKED) (-1 NO) (-2 N OR (np) OR SUBJECT) ;
${entriesOf('me: p1 sg, te: p2 sg, le: p3 sg, nos: p1 pl, os: p2 pl, les: p3 pl')
  .map(
    ([clitic, tags]) =>
      `SUBSTITUTE ("gustar" vblex cni p1 p3 sg) ("querer" vbmod cni ${tags} wish) ("gustar" cni) IF (-1 ("<${clitic}>"i)) ;`,
  )
  .join('\n')}
REMCOHORT CLITIC IF (1 (wish)) ;
SUBSTITUTE ("(.*)"r) (VSTR:"%u$1") ("querer" wish) IF (-1 START) ;
SUBSTITUTE (wish) (*) (wish) ;
SUBSTITUTE (pis) (cni) ("querer"i pis) IF (-1 START) ;
SELECT (p1) IF (0 ("querer"i cni)) (-1 START) ;
SELECT (vbmod) IF (0 ("querer"i cni)) ;
# I need.
${inBothSizes((sized) => `SUBSTITUTE ("${sized('necesitar')}" vblex) ("${sized('deber')}" vbmod) ("${sized('necesitar')}") IF (1 (inf)) ;`)}
ADDCOHORT ("<+bisogno>" "bisogno=" cnjadv) AFTER ("necesitar"i) IF (1 DET OR N OR (num) OR ADJ) (NOT -1 CLITIC) (NOT 0 (pp)) ;
ADDCOHORT ("<+de>" "de" pr) AFTER ("<+bisogno>") ;
${inBothSizes((sized) => `SUBSTITUTE ("${sized('necesitar')}") ("${sized('tener')}") ("${sized('necesitar')}") IF (1 ("<+bisogno>")) ;`)}
# I have just arrived.
${inBothSizes((sized) => `SUBSTITUTE ("${sized('acabar')}" vblex) ("${sized('haber')}" vbhaver) ("${sized('acabar')}" pri) IF (1 ("<de>")) (2 (inf)) ;`)}
ADDCOHORT ("<+apenas>" "apenas" adv) AFTER (vblex inf) IF (-1 ("<de>")) (-2 (vbhaver)) ;
SUBSTITUTE (inf) (pp m sg) (inf) IF (1 ("<+apenas>")) ;
REMCOHORT ("<de>") IF (2 ("<+apenas>")) ;
# For two years.
REMCOHORT ("<hace>") IF (-1 ("<desde>"i)) ;
${inBothSizes((sized) => `SUBSTITUTE (".*"r vblex pri p3 sg) ("${sized('desde')}" pr) ("<${sized('hace')}>") IF (1 (num) OR DET) (2 TIME) (3 ("<que>")) ;`)}
REMCOHORT ("<que>") IF (-1 TIME) (-3 ("desde"i pr) LINK 0 ("<hace>"i)) ;
# No longer, taller than me, that you want.
ADDCOHORT ("<+ya>" "ya=" cnjadv) AFTER V IF (-1 NO) (-2 ("<ya>"i)) ;
ADDCOHORT ("<+ya>" "ya=" cnjadv) AFTER V IF (-1 CLITIC) (-2 NO) (-3 ("<ya>"i)) ;
SUBSTITUTE ("no") ("No") NO IF (-1 ("<Ya>")) (-2 START) ;
REMCOHORT ("<ya>"i) IF (1 NO) (1* ("<+ya>")) ;
SUBSTITUTE ("yo") ("mí") (prn tn) IF (-1 ("<que>")) (1 ENDS) ;
SUBSTITUTE ("tú") ("ti") (prn tn) IF (-1 ("<que>")) (1 ENDS) ;
REMCOHORT ("<de>") IF (1 ("<que>")) (-1 ADJ OR N OR V OR (adv)) ;
SUBSTITUTE ("haber" vbhaver) ("tener" vblex) (vbhaver) IF (1 ("[*].*"r)) ;
# Never.
ADDCOHORT ("<+nunca>" "nunca" adv) AFTER V IF (-1 ("nunca"i)) (NOT 0 (vbhaver)) ;
ADDCOHORT ("<+nunca>" "nunca" adv) AFTER (pp) IF (-1 (vbhaver)) (-2 ("nunca"i)) ;
${inBothSizes((sized) => `SUBSTITUTE ("${sized('nunca')}") ("${sized('no')}") ("<${sized('nunca')}>") IF (1* ("<+nunca>") BARRIER (sent)) ;`)}
REMCOHORT ("ninguno" det) IF (1 MASS) ;
# In Rome, on the table, see somebody, call an ambulance, click on it.
${inBothSizes((sized) => `SUBSTITUTE ("${sized('en')}" pr) ("${sized('a')}" pr) ("<${sized('en')}>") IF (1 (np loc)) (NOT 1 COUNTRY) ;`)}
SUBSTITUTE ("a" pr) ("en" pr) ("<a>") IF (1 COUNTRY) (NOT -1 SEEN) ;
SUBSTITUTE ("en" pr) ("sobre" pr) ("<en>") IF (1 DET) (2 SURFACE) ;
SUBSTITUTE ("en" pr) ("sobre" pr) ("<en>") IF (-1 ("pulsar"i) OR ("<clic>") OR ("haz=clic="i) OR ("haga=clic="i)) ;
REMCOHORT ("<a>") IF (-1 SEEN OR ("llamar"i) OR ("ver"i) OR ("buscar"i)) (1 DET OR (np ant) OR ("<nadie>") OR ("<alguien>")) ;
${inBothSizes((sized) => `SUBSTITUTE ("${sized('pulsar')}") ("${sized('pulsar')}=") ("${sized('pulsar')}") IF (1 ("sobre") OR ("<aquí>")) ;`)}
REMCOHORT ("<de>") IF (-1 ("dirección"i)) (1 ("correo=electrónico=")) ;
SUBSTITUTE ("para" pr) ("desde" pr) ("<para>") IF (-1 ("<algo>") OR ("<nada>") OR ("<mucho>")) (1 (inf) OR (enc)) ;
# Upload a file.
${inBothSizes((sized) => `SUBSTITUTE ("${sized('subir')}") ("${sized('cargar')}") ("${sized('subir')}") IF (1* ("archivo") OR ("imagen") OR ("foto") OR ("documento") OR ("video") BARRIER V) ;`)}
# The train leaves, she has arrived, they arrived.
SUBSTITUTE ("salir") ("partir") ("salir") IF (0* VEHICLE) ;
ADDCOHORT ("<+haber>" "haber" vbhaver pri p3 pl) BEFORE MOTION IF (0 (ifi p3 pl)) ;
ADDCOHORT ("<+haber>" "haber" vbhaver pri p1 pl) BEFORE MOTION IF (0 (ifi p1 pl)) (NOT 0 (pri)) ;
ADDCOHORT ("<+haber>" "haber" vbhaver pri p3 sg) BEFORE MOTION IF (0 (ifi p3 sg)) (-1 (n f sg) OR ("él"i f)) ;
ADDCOHORT ("<+haber>" "haber" vbhaver pri p3 sg) BEFORE ("venir"i ifi p3 sg) IF (NOT 0 N) (NOT -1 ("<+haber>") OR CLITIC) ;
ADDCOHORT ("<+haber>" "haber" vbhaver pri p1 sg) BEFORE ("venir"i ifi p1 sg) IF (NOT -1 CLITIC) ;
${['p1 sg', 'p2 sg', 'p3 sg', 'p1 pl', 'p2 pl', 'p3 pl'].map((person) => `ADDCOHORT ("<+haber>" "haber" vbhaver pri ${person}) BEFORE (vblex ifi ${person}) IF (-1 CLITIC) (NOT 0 (pri)) ;`).join('\n')}
SUBSTITUTE (ifi p1 p2 p3 sg pl) (pp m sg) (ifi) IF (-1 ("<+haber>")) ;
# On arriving.
SUBSTITUTE (inf) (ger) (inf) IF (-1 ("<al>"i)) ;
REMCOHORT ("<al>"i) IF (1 (ger)) ;
`;

/** Italian words and forms. */
const TARGET = [
  'SUBSTITUTE (".*"r cnjadv) ("*più") ("@ya=") ;',
  'SUBSTITUTE (".*"r cnjadv) ("*bisogno") ("@bisogno=") ;',
  'SUBSTITUTE (pri p3 sg req) (imp p2 sg) (req) ;',
  ...entriesOf(PRONOUNS).flatMap(([pronoun, italian]) => {
    const [word = '', ...tags] = italian.split(' ');
    return inBothSizes(
      (sized) =>
        `SUBSTITUTE ("${sized('mi')}" kept-${pronoun}) ("${sized(word)}" ${tags.join(' ')}) ("${sized('mi')}" kept-${pronoun}) ;`,
    );
  }),
  // One loves somebody, and wants something.
  'SUBSTITUTE ("amare" vblex) ("volere" vbmod) ("<querer>") IF (NOT -1 (prn pro)) (NOT 1 ("a" pr)) ;',
  'SUBSTITUTE ("Amare" vblex) ("Volere" vbmod) ("<Querer>") IF (NOT 1 ("a" pr)) ;',
  ...entriesOf('m: nessun, f: nessuna').map(([gender, word]) =>
    inBothSizes(
      (sized) =>
        `SUBSTITUTE ("${sized('nessuno')}") ("${sized(word)}") ("${sized('nessuno')}" det) IF (1 (n ${gender})) ;`,
    ),
  ),
  // That file, that student.
  'SUBSTITUTE ("quello") ("quel") (det dem m sg) IF (1 PLAIN) ;',
  'SUBSTITUTE ("Quello") ("Quel") (det dem m sg) IF (1 PLAIN) ;',
  'SUBSTITUTE ("quello") ("quei") (det dem m pl) IF (1 PLAIN) ;',
  'SUBSTITUTE ("Quello") ("Quei") (det dem m pl) IF (1 PLAIN) ;',
  'SUBSTITUTE ("quello") ("quegli") (det dem m pl) IF (1 (n) OR (adj)) ;',
  'SUBSTITUTE ("Quello") ("Quegli") (det dem m pl) IF (1 (n) OR (adj)) ;',
  // She has got up, they have arrived.
  'SUBSTITUTE ("avere" vbhaver) ("essere" vbser) ("avere") IF (-1 ("si"i prn pro)) ;',
  ...entriesOf('mi: p1 sg, ti: p2 sg, ci: p1 pl, vi: p2 pl').map(
    ([pronoun, tags]) =>
      `SUBSTITUTE ("avere" vbhaver) ("essere" vbser) ("avere" ${tags}) IF (-1 ("${pronoun}"i prn pro)) ;`,
  ),
  'SUBSTITUTE ("avere" vbhaver) ("essere" vbser) ("avere") IF (1 ESSERE) ;',
  'SUBSTITUTE ("Avere" vbhaver) ("Essere" vbser) ("Avere") IF (1 ESSERE) ;',
  // The participle agrees.
  'SUBSTITUTE (sg) (pl) (pp) IF (0 ESSERE) (-1 ("essere"i pl)) ;',
  'SUBSTITUTE (m) (f) (pp) IF (0 ESSERE) (-1 ("essere"i pl)) (-2 (n f pl)) ;',
  'SUBSTITUTE (sg) (pl) (pp) IF (-1 ("essere" vbser pl)) (-2 (prn pro)) ;',
  'SUBSTITUTE (m sg) (f sg) (pp) IF (0 ESSERE) (-1 ("essere" p3 sg)) (-2 (n f sg) OR ("lui"i f)) ;',
  'SUBSTITUTE (m) (f) (pp) IF (-1 ("essere" vbser pl)) (-2 (prn pro)) (-3 (n f pl)) ;',
  'SUBSTITUTE (m sg) (f sg) (pp) IF (-1 ("essere" vbser p3 sg)) (-2 (prn pro)) (-3 (n f sg) OR ("lui"i f)) ;',
].join('\n');

// The mode to Italian puts articles before relatives and parts of dates, and `avere` behind `si`. It does not join
// prepositions with the articles of phrases that the grammar puts in.

const MONTH = `(?:gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)`;
const RELATIVE = String.raw`(?:mi[oa]|tu[oa]|su[oa]|[nv]ostr[oa]) (?:fratello|sorella|madre|padre|figli[oa]|marito|moglie|nonn[oa]|zi[oa]|cugin[oa]|nipote|suocer[oa])(?!\p{L})`;
const JOINED: Readonly<Record<string, string>> = {
  ...{ su: 'su', in: 'ne', a: 'a', di: 'de', da: 'da' },
  ...{ il: 'l', lo: 'llo', la: 'lla', i: 'i', gli: 'gli', le: 'lle', "l'": "ll'", 'l’': 'll’' },
};
const word = (pattern: string) => new RegExp(String.raw`(?<!\p{L})${pattern}`, 'giu');

/** What is wrong in a language, in any sentence, and what it should be. */
export type WrongWords = readonly (readonly [
  wrong: RegExp,
  right: string | ((found: string) => string),
])[];

export const NOT_ITALIAN: WrongWords = [
  [/[¿¡]/gu, ''],
  [/(?<!\p{L})in (?=\d{4}(?:[.,;:!?)]|$))/gu, 'nel '],
  [word(String.raw`d['’]il(?!\p{L})`), 'del'],
  [/(?<!\p{L})[Ss]ignore (?=\p{Lu}\p{Ll})/gu, (found) => found.replace('e ', ' ')],
  [word(`(?:il|la) ${RELATIVE}`), (found) => found.replace(/^\S+ /u, '')],
  [word(`del(?:la)? (?=${RELATIVE})`), 'di '],
  [word(`al(?:la)? (?=${RELATIVE})`), 'a '],
  [word(`dal(?:la)? (?=${RELATIVE})`), 'da '],
  [new RegExp(String.raw`(?<=\d)(?:\.?º)? di (?=${MONTH}(?!\p{L}))`, 'giu'), ' '],
  [new RegExp(String.raw`(?<=${MONTH}) di (?=\d{4}(?!\d))`, 'giu'), ' '],
  [word(String.raw`vedut(?=[oaie](?!\p{L}))`), 'vist'],
  [
    word(String.raw`${MONTH} \d\d?\.?º`),
    (found) => found.replace(/^(\S+) (\d+).*$/u, '$2 $1').toLowerCase(),
  ],
  [word(String.raw`nel (?=\d\d?(?:\.?º)? (?:di )?${MONTH})`), 'il '],
  [
    word(String.raw`si ha (?=\p{L}+(?:[aui]t|[aeo]rt|ess|oss|[oei]nt|st|tt)[oa](?!\p{L}))`),
    'si è ',
  ],
  [
    word(String.raw`si hanno (?=\p{L}+(?:[aui]t|[aeo]rt|ess|oss|[oei]nt|st|tt)[oi](?!\p{L}))`),
    'si sono ',
  ],
  [
    /(?<=(?<!\p{L})(?:siamo|siete) (?!subit)\p{L}{1,20}(?:[aui]t|imast|[aeo]rt|[eio]nt))o(?!\p{L})/giu,
    'i',
  ],
  [
    /(?<!\p{L})(?:[Ss]u|[Ii]n|[Aa]|d[ia]) (?:(?:il|lo|la|i|gli|le)(?!\p{L})|l['’])/gu,
    (found) =>
      found
        .toLowerCase()
        .replace(
          /^(\S+) (\S+)$/u,
          (_found, preposition: string, article: string) =>
            `${JOINED[preposition]}${JOINED[article]}`,
        ),
  ],
];
