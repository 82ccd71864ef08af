/** The words of pages of rooms in Portuguese. */
import type { RoomWords } from '../room-words.ts';

export const roomWords: RoomWords = {
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
