/** The words of pages of rooms in Italian. */
import type { RoomWords } from '../room-words.ts';

export const roomWords: RoomWords = {
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
