/** The words of pages of rooms in German. */
import type { RoomWords } from '../room-words.ts';

export const roomWords: RoomWords = {
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
