/** The words of pages of rooms in Spanish. */
import type { RoomWords } from '../room-words.ts';

export const roomWords: RoomWords = {
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
