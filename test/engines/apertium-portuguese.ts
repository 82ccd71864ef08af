/** Into both kinds of Portuguese with the product's own grammars, from Spanish and through it. */
import { expect, test } from 'vitest';
import { apertiumOfFile, translateTexts } from './apertium-support.ts';
import { markFaults, marked, written } from './marked-segments.ts';

const signal = new AbortController().signal;
const engine = await apertiumOfFile();

async function translated(
  source: string,
  text: string,
  target = 'pt',
): Promise<string | undefined> {
  const [answer] = await translateTexts(engine, [text], { source, target, signal });
  return answer;
}

test.each([
  // What has happened, is happening, and would.
  ['He perdido mi pasaporte.', 'Perdi o meu passaporte.'],
  ['Se lo he dicho.', 'Disse-lho.'],
  ['Nunca he estado en Lisboa.', 'Nunca estive em Lisboa.'],
  ['Había perdido el tren.', 'Tinha perdido o comboio.'],
  ['Ha habido un accidente.', 'Houve um acidente.'],
  ['Había mucha gente.', 'Havia muita gente.'],
  ['Estoy leyendo un libro muy interesante.', 'Estou a ler um livro muito interessante.'],
  ['Acabo de llegar.', 'Acabei de chegar.'],
  ['Quisiera dos billetes para Lisboa.', 'Queria dois bilhetes para Lisboa.'],
  ['Hace dos años que vivo en Portugal.', 'Há dois anos que vivo em Portugal.'],
  ['Vivo aquí desde hace dos años.', 'Vivo aqui há dois anos.'],
  ['Cuando llegues, llámame.', 'Quando chegares, chama-me.'],
  ['Si quieres, te ayudo.', 'Se quiseres, ajudo-te.'],
  // Articles, and who is meant.
  ['Mi casa es tu casa.', 'A minha casa é a tua casa.'],
  ['En mi viaje vi a su Majestad.', 'Na minha viagem vi sua Majestade.'],
  ['Sí, mi señor, todas mis cosas.', 'Sim, meu senhor, todas as minhas coisas.'],
  ['Dale el libro a tu hermana.', 'Dá-lhe o livro à tua irmã.'],
  ['El agua está fría.', 'A água está fria.'],
  ['Llama a la policía.', 'Chama a polícia.'],
  ['Tenéis que venir mañana.', 'Têm de vir amanhã.'],
  ['¿Habla usted inglés?', 'Fala inglês?'],
  // What one likes and needs.
  ['Me gusta la música mucho.', 'Gosto muito da música.'],
  ['No me gusta el pescado.', 'Não gosto de peixe.'],
  ['A mis padres les gusta viajar.', 'Os meus pais gostam de viajar.'],
  ['Me encanta esta ciudad.', 'Adoro esta cidade.'],
  ['Necesito un médico.', 'Preciso de um médico.'],
  // Questions and requests.
  ['¿Qué quieres comer?', 'O que queres comer?'],
  ['No sé qué hacer.', 'Não sei o que fazer.'],
  ['¿Me puedes ayudar?', 'Podes ajudar-me?'],
  ['¿Está el museo abierto?', 'O museu está aberto?'],
  ['Dime la verdad.', 'Diz-me a verdade.'],
  ['Ven conmigo.', 'Vem comigo.'],
  ['Cierre la ventana.', 'Feche a janela.'],
  // Times and places.
  ['Nací el 3 de abril de 1980.', 'Nasci no dia 3 de abril de 1980.'],
  ['El tren llega a las tres menos cuarto.', 'O comboio chega às três menos um quarto.'],
  ['La casa está cerca del río.', 'A casa está perto do rio.'],
  ['Cerca de veinte personas vinieron.', 'Cerca de vinte pessoas vieram.'],
  ['En verano vamos a la playa.', 'No verão vamos à praia.'],
  // Pages and programs, which speak politely.
  ['Pulsa el botón para guardar tus cambios.', 'Clique no botão para guardar as suas alterações.'],
  ['Si quieres borrar tu cuenta, pulsa aquí.', 'Se quiser apagar a sua conta, clique aqui.'],
  ['Los cambios no se han guardado.', 'As alterações não foram guardadas.'],
  ['Las imágenes no se pueden abrir.', 'As imagens não podem ser abertas.'],
  ['Mensaje nuevo', 'Nova mensagem'],
  ['La base de datos está vacía.', 'A base de dados está vazia.'],
  // The spelling of today, but not in names.
  ['Active Directory es un proyecto óptimo.', 'Active Directory é um projeto ótimo.'],
  ['Active las notificaciones.', 'Ative as notificações.'],
])('Spanish into Portuguese: %s', async (text, expected) => {
  expect(await translated('es', text)).toBe(expected);
});

test.each([
  ['Thank you very much for your help.', 'Muito obrigado pela tua ajuda.'],
  ['I have been living here for two years.', 'Estou a viver aqui há dois anos.'],
  ['I was born on the 5th of May 1990.', 'Nasci no dia 5 de maio de 1990.'],
  ['A table for two, please.', 'Uma mesa para dois, por favor.'],
  ['Because I wanted to help you.', 'Porque te quis ajudar.'],
  ['Let me know if you have any questions.', 'Avisa-me se tiveres alguma pergunta.'],
  ['Enter your email address.', 'Introduza o seu endereço de e-mail.'],
  ['Forgot your password?', 'Esqueceste a tua palavra-passe?'],
  [
    'Are you sure you want to delete this file?',
    'Tens a certeza de que queres eliminar este ficheiro?',
  ],
])('English into Portuguese: %s', async (text, expected) => {
  expect(await translated('en', text)).toBe(expected);
});

test.each([
  ['He perdido mi pasaporte.', 'Perdi meu passaporte.'],
  ['Estoy hablando.', 'Estou falando.'],
  ['¿Me puedes ayudar?', 'Pode me ajudar?'],
  ['Abre la ventana.', 'Abra a janela.'],
  ['Depende del tiempo.', 'Depende do tempo.'],
  ['Dime la verdad.', 'Diga-me a verdade.'],
  ['El archivo no se ha guardado.', 'O arquivo não foi salvo.'],
  ['Te echo de menos.', 'Sinto sua falta.'],
  ['¿Dónde está el baño?', 'Onde está o banheiro?'],
  ['Algo salió mal.', 'Algo deu errado.'],
  ['No te puedo oír.', 'Não posso ouvir você.'],
  ['Te voy a llamar mañana.', 'Vou chamá-lo amanhã.'],
  ['El vuelo es una idea.', 'O voo é uma ideia.'],
  ['Sigue todo recto.', 'Siga sempre em frente.'],
])('Spanish into the Portuguese of Brazil: %s', async (text, expected) => {
  expect(await translated('es', text, 'pt-BR')).toBe(expected);
});

test('marks stay at words that are put in, moved or joined', async () => {
  const segment = marked('<1>He visto</1> a <2>tu</2> hermano. <3>Pulsa el botón</3> <4/>nuevo.');
  const [answer] = await engine.translate([segment], { source: 'es', target: 'pt', signal });
  expect(markFaults(segment, answer!)).toEqual([]);
  expect(written(answer!)).toBe('<1>Vi</1> o <2>teu</2> irmão. <3>Clique no novo botão</3> <4/>.');
});
