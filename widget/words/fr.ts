/** The words of pages of rooms in French. */
import type { RoomWords } from '../room-words.ts';

export const roomWords: RoomWords = {
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
