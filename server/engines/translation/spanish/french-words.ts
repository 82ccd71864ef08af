/** Word and phrase tables of the grammars from Spanish to French. */
import { entriesOf, inBothSizes } from '../grammars.ts';

/**
 * Nouns with another translation than the dictionary's: Spanish noun, French noun and its gender. A third word is the
 * plural of nouns that the mode cannot decline.
 */
const NOUNS = `
  sitio: site m, dirección: adresse f, basura: corbeille f, número: numéro m, sesión: session f sessions,
  notificación: notification f, dispositivo: appareil m, plantilla: modèle m modèles, fila: ligne f,
  proceso: processus m processus, terreno: terrain m, tierra: terre f, joya: bijou m bijoux, idioma: langue f,
  dominio: domaine m domaines, monitor: écran m, puntero: curseur m, marcador: signet m signets,
  almacenamiento: stockage m, encabezamiento: en-tête m en-têtes, directorio: répertoire m, autobús: bus m bus,
  ayuda: aide f, correo: e-mail m, ordenador: ordinateur m, comando: commande f commandes, permiso: autorisation f,
  huella: empreinte f, bóveda: caveau m caveaux, propósito: but m, rato: moment m, prueba: test m tests,
  tienda: magasin m magasins, retraso: retard m, cita: rendez-vous m rendez-vous, móvil: portable m portables,
  cargador: chargeur m chargeurs, reserva: réservation f réservations, bolsa: sac m, charla: exposé m,
  bandeja: boîte f, pregunta: question f, noticia: nouvelle f, diseño: conception f conceptions, prenda: vêtement m
`;

/** Nouns that the dictionary does not have: Spanish noun and gender, French noun, gender and plural. */
const NEW_NOUNS = `
  papelera f: corbeille f corbeilles, escritorio m: bureau m bureaux, celda f: cellule f cellules,
  taxonomía f: taxonomie f taxonomies, portapapeles m: presse-papiers m presse-papiers, enchufe m: prise f prises,
  selector m: sélecteur m sélecteurs, controlador m: pilote m pilotes, prefijo m: préfixe m préfixes,
  ascensor m: ascenseur m ascenseurs, hamburguesa f: hamburger m hamburgers, mantequilla f: beurre m beurres,
  muelle m: quai m quais, estacionamiento m: parking m parkings, cafetería f: café m cafés,
  historial m: historique m historiques, señorita f: demoiselle f demoiselles, pavo m: dinde f dindes,
  gatito m: chaton m chatons, perrito m: chiot m chiots, champaña f: champagne m champagnes,
  maletín m: mallette f mallettes, centavo m: centime m centimes, auricular m: écouteur m écouteurs,
  plugin m: extension f extensions, widget m: widget m widgets, brujo m: sorcier m sorciers, orco m: orc m orcs,
  ogro m: ogre m ogres, clan m: clan m clans, hacha f: hache f haches, tabulador m: tabulation f tabulations,
  niñera f: nounou f nounous, embarazo m: grossesse f grossesses, campamento m: camp m camps,
  armadura f: armure f armures, coincidencia f: coïncidence f coïncidences, compasión f: compassion f compassions,
  presentimiento m: pressentiment m pressentiments, ciudadela f: citadelle f citadelles, cráneo m: crâne m crânes,
  murciélago m: chauve-souris f chauves-souris, menú m: menu m menus, enlace m: lien m liens,
  pedido m: commande f commandes, carrito m: panier m paniers, diapositiva f: diapositive f diapositives,
  ponente m: intervenant m intervenants, calibración f: étalonnage m étalonnages, equivocación f: erreur f erreurs,
  router m: routeur m routeurs
`;

/** Verb forms that the dictionary does not have: form, verb and tags. */
const NEW_FORMS = `
  comprueba: comprobar pri p3 sg, comprueba: comprobar imp p2 sg, compruebo: comprobar pri p1 sg,
  compruebas: comprobar pri p2 sg, comprueban: comprobar pri p3 pl, compruebe: comprobar imp p3 sg
`;

/** Verbs, likewise. */
const VERBS = `
  usar: utiliser, eliminar: supprimer, utilizar: utiliser, mover: déplacer, editar: modifier, introducir: saisir,
  ocultar: masquer, guardar: enregistrer, enlazar: lier, fallar: échouer, lanzar: lancer, solicitar: demander,
  preocupar: inquiéter, insertar: introduire, ordenar: ranger, prestar: prêter, cobrar: encaisser,
  suministrar: fournir, recordar: rappeler, cosechar: récolter, ajustar: régler, rebautizar: renommer,
  actualizar: actualiser, calibrar: étalonner, aumentar: augmenter, pulsar=: cliquer, pulsar: presser,
  reiniciar: relancer, necesitar: vouloir, vivir: vivre, coger: prendre, mantener: garder, conducir: conduire,
  aparcar: garer, complacer: plaire, mirar: regarder, tirar: jeter, retrasar: retarder, apoyar: soutenir,
  iniciar: lancer
`;

const ADJECTIVES = `
  remoto: distant, anterior: précédent, válido: valide, temporal: temporaire, vivo: vivant, posterior: ultérieur,
  obligatorio: obligatoire, ocupado: occupé, portátil: portable, tonto: stupide, adjunto: joint
`;

const ADVERBS = `
  exitosamente: avec succès, temporalmente: temporairement, deprisa: vite, alternativamente: sinon,
  meramente: simplement, anteriormente: auparavant, debajo: ci-dessous, ligeramente: légèrement
`;

const CONJUNCTIONS = `cuando: quand, como: comme, mientras: pendant que`;

/** Whole phrases. */
export const SAID_OTHERWISE = `
  ^buenos_días: bonjour, ^buenas_tardes: bonjour, ^buenas_noches: bonsoir, ^hasta mañana: à demain,
  ^hasta luego: à plus tard, ^hasta pronto: à bientôt, lo siento: je suis désolé, por favor: s'il vous plaît,
  de nada: de rien, ^cómo estás: comment vas-tu, ^cómo está usted: comment allez-vous,
  ^cómo te llamas: comment t'appelles-tu, ^qué hora es: quelle heure est-il, ^cuánto cuesta: combien coûte,
  ^cuánto cuestan: combien coûtent, ^dónde está: où est, ^dónde están: où sont, ^quién es: qui est,
  ^quién eres: qui es-tu, ^quién es usted: qui êtes-vous, ^quiénes son: qui sont, ^qué es: qu'est-ce que,
  ^qué significa: que signifie, ^por qué: pourquoi, por_qué: pourquoi, ^que tengas un buen día: bonne journée,
  ^que tenga un buen día: bonne journée, bienvenidos de nuevo: bon retour, iniciar sesión: se connecter,
  inicia sesión: connecte-toi, cerrar sesión: se déconnecter, cierra sesión: déconnecte-toi,
  correo electrónico: e-mail, dirección de correo electrónico: adresse e-mail, por ejemplo: par exemple,
  ^vamos a ir$: allons-y, ^vamos$: allons-y, ^vámonos: allons-y, la semana que viene: la semaine prochaine,
  el mes que viene: le mois prochain, el año que viene: l'année prochaine, la semana pasada: la semaine dernière,
  el mes pasado: le mois dernier, el año pasado: l'année dernière, esta noche: ce soir, esta mañana: ce matin,
  esta tarde: cet après-midi, este es: c'est, esta es: c'est, esto es: c'est, eso es: c'est, ese es: c'est,
  esa es: c'est, estos son: ce sont, estas son: ce sont, esos son: ce sont, este no es: ce n'est pas,
  esta no es: ce n'est pas, esto no es: ce n'est pas, eso no es: ce n'est pas, esto era: c'était, eso era: c'était,
  lo necesito: j'en ai besoin, lo necesitas: tu en as besoin, cerca de aquí: près d'ici, aquí: ici, allí: là-bas,
  ayer: hier, hoy: aujourd'hui, mañana: demain, guardar cambios: enregistrer les modifications,
  dónde está el: où est le, dónde está la: où est la, me duele la: j'ai mal à la, me duele el: j'ai mal au,
  me duelen los: j'ai mal aux, me duelen las: j'ai mal aux, te duele la: tu as mal à la, te duele el: tu as mal au,
  ojalá: si seulement, fuera de línea: hors ligne, muchísimas gracias: merci infiniment, de acuerdo: d'accord,
  quizás: peut-être, en_absoluto: pas du tout, ^hasta: jusqu'à, el uno al otro: l'un l'autre,
  cada vez más: de plus en plus, al menos: au moins, a tiempo: à l'heure, ^feliz cumpleaños: joyeux anniversaire,
  ^feliz Navidad: joyeux Noël, ^feliz año nuevo: bonne année, buena suerte: bonne chance, buen viaje: bon voyage,
  ^encantado de conocerte: enchanté, me alegro: je suis content, ^qué tal: comment ça va, tanto como: autant que,
  lo antes posible: dès que possible, lo siento mucho: je suis vraiment désolé, lo sentimos: nous sommes désolés,
  lo sentimos mucho: nous sommes vraiment désolés, inténtalo de nuevo: réessaie, vuelve a intentarlo: réessaie,
  no importa: ça ne fait rien, hay que: il faut, y media: et demie, y cuarto: et quart, menos cuarto: moins le quart,
  lo pasamos muy bien: nous nous sommes bien amusés, ha sido un placer conocerte: j'ai été ravi de te rencontrer,
  fue un placer conocerte: j'ai été ravi de te rencontrer, cuídate: prends soin de toi, junto a: à côté de,
  quédese con el cambio: gardez la monnaie, al lado: à côté, enfrente: en face, hace poco: il y a peu, dios: Dieu,
  el lunes: lundi, el martes: mardi, el miércoles: mercredi, el jueves: jeudi, el viernes: vendredi,
  el sábado: samedi, el domingo: dimanche, en Canadá: au Canada, en Japón: au Japon, en Brasil: au Brésil,
  en México: au Mexique, en Portugal: au Portugal, en Marruecos: au Maroc, en Estados_Unidos: aux États-Unis,
  en los Estados_Unidos: aux États-Unis, ^era un: c'était un, ^era una: c'était une,
  por las molestias: pour le désagrément, bandeja de entrada: boîte de réception, en_cualquier momento: à tout moment,
  varios: plusieurs, varias: plusieurs, dar las gracias_a: remercier, de quién es: à qui est,
  creo que sí: je crois que oui, creo que no: je ne crois pas, alguna vez: déjà,
  me encuentro mal: je ne me sens pas bien, alérgico a: allergique à, alérgica a: allergique à,
  embarazada: enceinte, más información: en savoir plus, ^sobre nosotros: à propos de nous,
  no se han encontrado resultados: aucun résultat trouvé, algo salió mal: une erreur s'est produite, agotado: épuisé,
  ^cargando$: chargement, página no encontrada: page introuvable, ^no encontrado: introuvable,
  copiar enlace: copier le lien, cargar más: charger plus, mostrar más: afficher plus, mostrar menos: afficher moins,
  volver arriba: retour en haut, ^recordarme$: se souvenir de moi, suscríbete a: abonne-toi à,
  en tu cuenta: sur ton compte, condiciones de uso: conditions d'utilisation,
  todos los derechos reservados: tous droits réservés, tarjeta regalo: carte cadeau,
  horario de apertura: heures d'ouverture, última actualización: dernière mise à jour, acceso denegado: accès refusé,
  ^son unos: ce sont des, ^son unas: ce sont des, ahora: maintenant, entonces: alors,
  luego: ensuite, a casa: à la maison, en casa: à la maison, desde casa: de chez soi, ^dónde: où est-ce que,
  ^cuándo: quand est-ce que, ^cómo: comment est-ce que, ^dónde te duele: où as-tu mal,
  cuánto se tarda en: combien de temps faut-il pour, ^la cuenta$: l'addition, ^qué pasa: que se passe-t-il,
  ^qué ocurre: que se passe-t-il, ^hasta la semana que viene: à la semaine prochaine,
  felicidades por: félicitations pour, felicidades: félicitations, contacta con nosotros: contacte-nous,
  ponte en contacto con nosotros: contacte-nous, términos y condiciones: conditions générales,
  política de privacidad: politique de confidentialité, ^bienvenidos: bienvenue, ^bienvenido: bienvenue,
  a_la_izquierda: à gauche, a_la_derecha: à droite, a la izquierda: à gauche, a la derecha: à droite,
  todo recto: tout droit, veces al_día: fois par jour, vez al_día: fois par jour,
  ^damas y caballeros: mesdames et messieurs, ^señoras y señores: mesdames et messieurs, ^a mí: moi, ^sí: oui,
  ^no$: non, ^claro: bien sûr, ^perdón: pardon, ^perdona: excuse-moi, ^perdone: excusez-moi, ^disculpe: excusez-moi,
  ^gracias$: merci, gracias_a: grâce à, estoy seguro de que: je suis sûr que, estás seguro de que: tu es sûr que, está seguro de que: il est sûr que, no estoy seguro de que: je ne suis pas sûr que,
  me alegro de que: je suis content que, nos alegramos de que: nous sommes contents que, espero que te haya gustado: j'espère que ça t'a plu, espero que os haya gustado: j'espère que ça vous a plu, espero que: j'espère que, yo espero que: j'espère que, esperamos que: nous espérons que,
  espera que: il espère que, esperan que: ils espèrent que, había que: il fallait, habrá que: il faudra,
  cuántos años tienes: quel âge as-tu, cuántos años tiene: quel âge a-t-il,
  cuántos años tiene usted: quel âge avez-vous, dámelo: donne-le-moi, dímelo: dis-le-moi,
  de dónde eres: d'où viens-tu, de dónde es usted: d'où venez-vous, te echo de menos: tu me manques,
  te extraño: tu me manques, os echo de menos: vous me manquez, tenemos que irnos: nous devons y aller,
  tengo que irme: je dois y aller, haz clic: clique, haga clic: cliquez, pasado mañana: après-demain,
  de la mañana: du matin, de la tarde: de l'après-midi, de la noche: du soir, por la mañana: le matin,
  por_la_mañana: le matin, por_la_tarde: l'après-midi, por_la_noche: le soir, por la noche: le soir,
  por la tarde: l'après-midi
`;

/** Verbs that begin a request, beside those of the grammar to English. */
export const FURTHER_ORDERS = `
  tomar girar llamar ir añadir pagar permitir aplicar completar organizar adjuntar insertar fusionar arrastrar soltar marcar
  descargar cargar cancelar aceptar confirmar rellenar restaurar recargar gestionar comprar probar compartir editar
  ajustar desactivar mostrar ocultar volver parar ayudar venir comer beber traer llevar limpiar preguntar`;

/** Adjectives that stand before their noun. */
export const BEFORE_NOUNS = `
  pequeño nuevo bueno malo viejo joven bonito hermoso largo gran grande primero segundo último próximo mismo alto
`;

/**
 * Returns rules for each noun, with its gender; `_` is a blank in it. A rule for a literal word is not tried on others.
 */
export function nounRules(table: string): string[] {
  return entriesOf(table).flatMap(([spanish, french]) => {
    const [noun = '', gender = '', plural] = french
      .split(' ')
      .map((word) => word.replaceAll('_', ' '));
    const other = gender === 'm' ? 'f' : 'm';
    const rule = (from: string, to: (sized: (word: string) => string) => string, kind = 'n') =>
      inBothSizes(
        (sized) => `SUBSTITUTE (${from}) (${to(sized)}) ("<${sized(spanish)}>") IF (0 (${kind})) ;`,
      );
    return [
      rule(other, () => gender),
      rule('".*"r', (sized) => `"${sized(noun)}"`),
      ...(plural === undefined ? [] : [rule('".*"r', (sized) => `"${sized(plural)}"`, 'n pl')]),
    ];
  });
}

/** Returns a rule for each word. */
export function wordRules(table: string, tag: string): string[] {
  return entriesOf(table).map(([spanish, french]) =>
    inBothSizes(
      (sized) =>
        `SUBSTITUTE (".*"r) ("${sized(french)}") ("<${sized(spanish)}>") IF (0 (${tag})) ;`,
    ),
  );
}

/** Returns the readings of words that the dictionary does not have. */
export function newReadings(nouns = NEW_NOUNS, forms = NEW_FORMS): string[] {
  const reading = (form: string, lemma: string, tags: string) =>
    inBothSizes((sized) => `APPEND ("${sized(lemma)}" ${tags}) ("<${sized(form)}>") ;`);
  return [
    ...entriesOf(nouns).flatMap(([entry]) => {
      const [noun = '', gender = ''] = entry.split(' ');
      const plural = /[aeiou]$/.test(noun) ? `${noun}s` : `${noun.replace(/ón$/, 'on')}es`;
      return [
        reading(noun, `${noun}=`, `n ${gender} sg`),
        reading(plural, `${noun}=`, `n ${gender} pl`),
      ];
    }),
    ...entriesOf(forms).map(([form, verb]) => {
      const [, lemma = '', tags = ''] = /^(\S+) (.*)$/.exec(verb) ?? [];
      return reading(form, lemma, `vblex ${tags}`);
    }),
  ];
}

/** Rules of the target grammar that choose French words. */
export const wordsOfFrench = (): string[] => [
  ...nounRules(NOUNS),
  ...nounRules(NEW_NOUNS.replaceAll(/ [mf]:/g, '=:')),
  ...wordRules(CONJUNCTIONS, 'cnjadv'),
  ...wordRules(VERBS, 'vblex'),
  ...wordRules(ADJECTIVES, 'adj'),
  ...wordRules(ADVERBS, 'adv'),
];
