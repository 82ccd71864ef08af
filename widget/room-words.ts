/** Wording of `<room-captions>`, apart from captions, in the readers' languages. */
import { baseLanguage, type LanguageTag } from '../shared/language.ts';

/** States of the element, for code and for wording. */
const roomStates = [
  'idle',
  'connecting',
  'waiting',
  'live',
  'paused',
  'reconnecting',
  'offline',
  'full',
  'locked',
  'refused',
  'gone',
] as const;
export type RoomCaptionsState = (typeof roomStates)[number];

/** Wording of a state: a one-line title, and a hint about what to know or do. */
export interface RoomStateWords {
  title: string;
  hint: string;
}

export interface RoomWords {
  /** Name of the whole element for screen readers. */
  region: string;
  /** Name of the live region for screen readers. */
  announcements: string;
  jump: string;
  /** Marks a line that a person typed or corrected. */
  byPerson: string;
  states: Record<RoomCaptionsState, RoomStateWords>;
}

const en: RoomWords = {
  region: 'Live captions',
  announcements: 'Captions, sentence by sentence',
  jump: 'Jump to now',
  byPerson: 'Typed or corrected by a person',
  states: {
    idle: { title: '', hint: '' },
    connecting: { title: 'Connecting…', hint: '' },
    waiting: {
      title: 'Nobody is speaking yet',
      hint: 'Captions appear here as soon as somebody does.',
    },
    live: { title: 'Listening', hint: 'The first words are on their way.' },
    paused: { title: 'Paused', hint: 'Captions go on when the speaker does.' },
    reconnecting: { title: 'Reconnecting…', hint: 'Nothing is lost meanwhile.' },
    offline: { title: 'No connection', hint: 'Captions go on by themselves when it is back.' },
    full: { title: 'The room is full', hint: 'It is tried again by itself.' },
    locked: { title: 'This room has a passcode', hint: 'The organisers can tell you.' },
    refused: {
      title: 'This link does not work any more',
      hint: 'Please ask the organisers for a new one.',
    },
    gone: {
      title: 'There is no such room',
      hint: 'It was closed, or the address is incomplete.',
    },
  },
};

const ar: RoomWords = {
  region: 'ترجمة نصية مباشرة',
  announcements: 'الترجمة جملة بجملة',
  jump: 'إلى الآن',
  byPerson: 'كتبه أو صححه شخص',
  states: {
    idle: { title: '', hint: '' },
    connecting: { title: 'جارٍ الاتصال…', hint: '' },
    waiting: { title: 'لا أحد يتحدث بعد', hint: 'يظهر النص هنا حالما يتحدث أحد.' },
    live: { title: 'جارٍ الاستماع', hint: 'الكلمات الأولى في الطريق.' },
    paused: { title: 'متوقف مؤقتًا', hint: 'يستمر النص عندما يستمر المتحدث.' },
    reconnecting: { title: 'جارٍ إعادة الاتصال…', hint: 'لن يضيع شيء.' },
    offline: { title: 'لا يوجد اتصال', hint: 'يستمر النص تلقائيًا عند عودة الاتصال.' },
    full: { title: 'القاعة ممتلئة', hint: 'تُعاد المحاولة تلقائيًا.' },
    locked: { title: 'هذه القاعة لها رمز دخول', hint: 'اسأل المنظمين عنه.' },
    refused: { title: 'لم يعد هذا الرابط صالحًا', hint: 'اطلب رابطًا جديدًا من المنظمين.' },
    gone: { title: 'لا توجد قاعة كهذه', hint: 'أُغلقت، أو العنوان غير كامل.' },
  },
};

const de: RoomWords = {
  region: 'Live-Untertitel',
  announcements: 'Untertitel, Satz für Satz',
  jump: 'Zur Gegenwart',
  byPerson: 'Von einem Menschen getippt oder verbessert',
  states: {
    idle: { title: '', hint: '' },
    connecting: { title: 'Verbindung wird aufgebaut …', hint: '' },
    waiting: {
      title: 'Noch spricht niemand',
      hint: 'Sobald jemand spricht, erscheint hier der Text.',
    },
    live: { title: 'Es wird zugehört', hint: 'Die ersten Worte sind unterwegs.' },
    paused: { title: 'Pause', hint: 'Es geht weiter, sobald weitergesprochen wird.' },
    reconnecting: { title: 'Verbindung wird wiederhergestellt …', hint: 'Nichts geht verloren.' },
    offline: {
      title: 'Keine Verbindung',
      hint: 'Es geht von selbst weiter, sobald sie wieder da ist.',
    },
    full: { title: 'Der Raum ist voll', hint: 'Es wird von selbst weiter versucht.' },
    locked: { title: 'Dieser Raum hat einen Zugangscode', hint: 'Die Veranstalter kennen ihn.' },
    refused: {
      title: 'Dieser Link gilt nicht mehr',
      hint: 'Bitte die Veranstalter um einen neuen.',
    },
    gone: {
      title: 'Diesen Raum gibt es nicht',
      hint: 'Er wurde geschlossen, oder die Adresse ist unvollständig.',
    },
  },
};

const es: RoomWords = {
  region: 'Subtítulos en directo',
  announcements: 'Subtítulos, frase a frase',
  jump: 'Ir al presente',
  byPerson: 'Escrito o corregido por una persona',
  states: {
    idle: { title: '', hint: '' },
    connecting: { title: 'Conectando…', hint: '' },
    waiting: {
      title: 'Nadie habla todavía',
      hint: 'Los subtítulos aparecerán aquí en cuanto alguien hable.',
    },
    live: { title: 'Escuchando', hint: 'Las primeras palabras están en camino.' },
    paused: { title: 'En pausa', hint: 'Los subtítulos siguen cuando siga quien habla.' },
    reconnecting: { title: 'Reconectando…', hint: 'No se pierde nada.' },
    offline: { title: 'Sin conexión', hint: 'Los subtítulos siguen solos cuando vuelva.' },
    full: { title: 'La sala está llena', hint: 'Se vuelve a intentar automáticamente.' },
    locked: { title: 'Esta sala tiene un código', hint: 'Los organizadores lo conocen.' },
    refused: { title: 'Este enlace ya no sirve', hint: 'Pide uno nuevo a los organizadores.' },
    gone: { title: 'Esta sala no existe', hint: 'Se ha cerrado, o la dirección está incompleta.' },
  },
};

const fr: RoomWords = {
  region: 'Sous-titres en direct',
  announcements: 'Sous-titres, phrase par phrase',
  jump: 'Revenir au direct',
  byPerson: 'Saisi ou corrigé par une personne',
  states: {
    idle: { title: '', hint: '' },
    connecting: { title: 'Connexion…', hint: '' },
    waiting: {
      title: 'Personne ne parle encore',
      hint: 'Les sous-titres s’affichent ici dès que quelqu’un parle.',
    },
    live: { title: 'À l’écoute', hint: 'Les premiers mots arrivent.' },
    paused: { title: 'En pause', hint: 'Les sous-titres reprennent avec l’orateur.' },
    reconnecting: { title: 'Reconnexion…', hint: 'Rien n’est perdu.' },
    offline: {
      title: 'Pas de connexion',
      hint: 'Les sous-titres reprennent d’eux-mêmes à son retour.',
    },
    full: { title: 'La salle est pleine', hint: 'Une nouvelle tentative suit automatiquement.' },
    locked: { title: 'Cette salle a un code', hint: 'Les organisateurs le connaissent.' },
    refused: {
      title: 'Ce lien n’est plus valable',
      hint: 'Demandez-en un nouveau aux organisateurs.',
    },
    gone: {
      title: 'Cette salle n’existe pas',
      hint: 'Elle est fermée, ou l’adresse est incomplète.',
    },
  },
};

const it: RoomWords = {
  region: 'Sottotitoli in diretta',
  announcements: 'Sottotitoli, frase per frase',
  jump: 'Torna al presente',
  byPerson: 'Scritto o corretto da una persona',
  states: {
    idle: { title: '', hint: '' },
    connecting: { title: 'Connessione…', hint: '' },
    waiting: {
      title: 'Nessuno parla ancora',
      hint: 'I sottotitoli appaiono qui appena qualcuno parla.',
    },
    live: { title: 'In ascolto', hint: 'Le prime parole stanno arrivando.' },
    paused: { title: 'In pausa', hint: 'I sottotitoli riprendono quando riprende chi parla.' },
    reconnecting: { title: 'Riconnessione…', hint: 'Nulla va perso.' },
    offline: {
      title: 'Nessuna connessione',
      hint: 'I sottotitoli riprendono da soli quando torna.',
    },
    full: { title: 'La sala è piena', hint: 'Si riprova automaticamente.' },
    locked: { title: 'Questa sala ha un codice', hint: 'Lo conoscono gli organizzatori.' },
    refused: {
      title: 'Questo link non è più valido',
      hint: 'Chiedine uno nuovo agli organizzatori.',
    },
    gone: { title: 'Questa sala non esiste', hint: 'È stata chiusa, o l’indirizzo è incompleto.' },
  },
};

const pt: RoomWords = {
  region: 'Legendas em direto',
  announcements: 'Legendas, frase a frase',
  jump: 'Ir para agora',
  byPerson: 'Escrito ou corrigido por uma pessoa',
  states: {
    idle: { title: '', hint: '' },
    connecting: { title: 'A ligar…', hint: '' },
    waiting: {
      title: 'Ainda ninguém fala',
      hint: 'As legendas aparecem aqui assim que alguém falar.',
    },
    live: { title: 'A ouvir', hint: 'As primeiras palavras estão a caminho.' },
    paused: { title: 'Em pausa', hint: 'As legendas continuam quando quem fala continuar.' },
    reconnecting: { title: 'A religar…', hint: 'Nada se perde.' },
    offline: { title: 'Sem ligação', hint: 'As legendas continuam sozinhas quando ela voltar.' },
    full: { title: 'A sala está cheia', hint: 'Tenta-se de novo automaticamente.' },
    locked: { title: 'Esta sala tem um código', hint: 'Os organizadores conhecem-no.' },
    refused: { title: 'Este link já não é válido', hint: 'Peça um novo aos organizadores.' },
    gone: { title: 'Esta sala não existe', hint: 'Foi fechada, ou o endereço está incompleto.' },
  },
};

const translations: Record<LanguageTag, RoomWords> = { en, ar, de, es, fr, it, pt };

/** Wording that a page overrides, in any part. */
export type RoomWordOverrides = Partial<Omit<RoomWords, 'states'>> & {
  states?: Partial<Record<RoomCaptionsState, Partial<RoomStateWords>>>;
};

/** Returns the wording in a language, in English if the language is not available. */
export function roomWords(language: LanguageTag, overrides: RoomWordOverrides = {}): RoomWords {
  const words = translations[baseLanguage(language)] ?? en;
  const states = { ...words.states };
  for (const state of roomStates)
    states[state] = { ...states[state], ...overrides.states?.[state] };
  return { ...words, ...overrides, states };
}
