/** Common mistakes, one per sentence, and the intended text. */
import type { LanguageTag } from '../../shared/language.ts';

export interface WrongSentence {
  wrong: string;
  right: string;
}

const pairs = (text: string): WrongSentence[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [wrong = '', right = ''] = line.split(' | ');
      return { wrong, right };
    });

export const wrongSentences: Readonly<Record<LanguageTag, readonly WrongSentence[]>> = {
  en: pairs(`
I should of called you yesterday. | I should have called you yesterday.
We recieve a lot of letters every day. | We receive a lot of letters every day.
This is a apple from our garden. | This is an apple from our garden.
He is an university student. | He is a university student.
The the house on the corner is for sale. | The house on the corner is for sale.
Yesterday i saw an old friend. | Yesterday I saw an old friend.
She is taller then her brother. | She is taller than her brother.
I definately want to come along. | I definitely want to come along.
Let us meet at teh station. | Let us meet at the station.
Its a nice day for a walk. | It's a nice day for a walk.
We have alot of time left. | We have a lot of time left.
The shop is open on mondays. | The shop is open on Mondays.
He dont like coffee in the evening. | He doesn't like coffee in the evening.
I am looking forward to see you tommorow. | I am looking forward to seeing you tomorrow.
The goverment has announced new rules. | The government has announced new rules.
Please seperate the paper from the plastic. | Please separate the paper from the plastic.
It was a very usefull discussion. | It was a very useful discussion.
There are many diffrent ways to do it. | There are many different ways to do it.
We could of won the game. | We could have won the game.
Their is no reason to worry. | There is no reason to worry.
He have two sisters and a brother. | He has two sisters and a brother.
I beleive that she is right. | I believe that she is right.
The meeting , which was long, is over. | The meeting, which was long, is over.
Our neighbor has a begining cold. | Our neighbor has a beginning cold.
She works in the enviroment ministry. | She works in the environment ministry.
We went to the restaraunt on foot. | We went to the restaurant on foot.
It was raining and and we got wet. | It was raining and we got wet.
I wich you a happy birthday. | I wish you a happy birthday.
Your going to love this book. | You're going to love this book.
That is a good idee for the weekend. | That is a good idea for the weekend.
The weather was beautifull all week. | The weather was beautiful all week.
He drives to fast on this road. | He drives too fast on this road.
What time does the libary open? | What time does the library open?
I lost my wallet on the way too work. | I lost my wallet on the way to work.
She has writen three novels. | She has written three novels.
Every student have a laptop. | Every student has a laptop.
We will discuss about it later. | We will discuss it later.
Nobody was their when we arrived. | Nobody was there when we arrived.
The train leaves in a hour. | The train leaves in an hour.
He did a big mistake last week. | He made a big mistake last week.`),
  de: pairs(`
Ich habe villeicht zu viel gegessen. | Ich habe vielleicht zu viel gegessen.
Das ist nciht mein Fehler. | Das ist nicht mein Fehler.
Das Wetter war schön , aber kalt. | Das Wetter war schön, aber kalt.
Die Kinder spieln im Garten. | Die Kinder spielen im Garten.
Wir sind zu Hause gebleiben. | Wir sind zu Hause geblieben.
Der Zug kam spät und und war voll. | Der Zug kam spät und war voll.
Er hat das Buch gestern geleesen. | Er hat das Buch gestern gelesen.
Der Film war langweillig. | Der Film war langweilig.
Wir gehen morgen ins Kino. es läuft ein neuer Film. | Wir gehen morgen ins Kino. Es läuft ein neuer Film.
Ich weis nicht, wo er wohnt. | Ich weiß nicht, wo er wohnt.
Sie arbeitet warscheinlich noch. | Sie arbeitet wahrscheinlich noch.
Das müssen wir unbedinngt ändern. | Das müssen wir unbedingt ändern.
Er kommt warscheinlich aus dem Süden. | Er kommt wahrscheinlich aus dem Süden.
Leider habe ich es vergesen. | Leider habe ich es vergessen.
Das Essen hat gut geschmekt. | Das Essen hat gut geschmeckt.`),
  fr: pairs(`
Je voudrais du fromaje pour ce soir. | Je voudrais du fromage pour ce soir.
Nous avons passé un tres bon moment. | Nous avons passé un très bon moment.
Il a reçu une lettre de son frere. | Il a reçu une lettre de son frère.
Le train est est arrivé en retard. | Le train est arrivé en retard.
Je ne sais pas pourqoui il est parti. | Je ne sais pas pourquoi il est parti.
Les enfants jouent dans le jardin , près de la maison. | Les enfants jouent dans le jardin, près de la maison.
Elle veut achetter une voiture. | Elle veut acheter une voiture.
Nous parlons francais à la maison. | Nous parlons français à la maison.
C'est mon adresse personelle. | C'est mon adresse personnelle.
Il fait froid. nous restons à la maison. | Il fait froid. Nous restons à la maison.
Elles sont aller au marché. | Elles sont allées au marché.
Le medecin est en vacances. | Le médecin est en vacances.
Il faut apeler la police. | Il faut appeler la police.
Nous sommes entrain de manger. | Nous sommes en train de manger.
Je suis desolé pour le retard. | Je suis désolé pour le retard.`),
  es: pairs(`
Mañana vamos a la playa con los ninos. | Mañana vamos a la playa con los niños.
Quiero haser una pregunta. | Quiero hacer una pregunta.
Tambien me gusta la música. | También me gusta la música.
Me dijo que que no era nada. | Me dijo que no era nada.
Vivimos en una ciudad bonita , cerca del mar. | Vivimos en una ciudad bonita, cerca del mar.
La cancion es muy conocida. | La canción es muy conocida.
No pude dormir. hacía mucho calor. | No pude dormir. Hacía mucho calor.
Tenemos una reserba para dos. | Tenemos una reserva para dos.
Ella nunca a estado en Roma. | Ella nunca ha estado en Roma.
El resturante estaba cerrado. | El restaurante estaba cerrado.
Necesito mas tiempo para pensar. | Necesito más tiempo para pensar.
Ayer fuimos al teatro con mis avuelos. | Ayer fuimos al teatro con mis abuelos.
La situacion es complicada. | La situación es complicada.
Hay que llegar antes de las ocho y y media. | Hay que llegar antes de las ocho y media.
El problema es muy dificil. | El problema es muy difícil.`),
  it: pairs(`
Non so perche non hai risposto. | Non so perché non hai risposto.
La citta è molto bella. | La città è molto bella.
Il ristorante era chiuso , quindi siamo tornati. | Il ristorante era chiuso, quindi siamo tornati.
Ho comprato un libbro nuovo. | Ho comprato un libro nuovo.
Mi piace molto questa canzzone. | Mi piace molto questa canzone.
La strada è lunga e e stretta. | La strada è lunga e stretta.
Vorrei un bichiere di vino. | Vorrei un bicchiere di vino.
Domani andremmo al mare. | Domani andremo al mare.
Sono rimasto a casa. pioveva troppo. | Sono rimasto a casa. Pioveva troppo.
Un'amico mi ha aiutato. | Un amico mi ha aiutato.
Lunedi comincia la scuola. | Lunedì comincia la scuola.
Non ho abastanza soldi. | Non ho abbastanza soldi.
Qual'è il tuo nome? | Qual è il tuo nome?
Il raggazzo gioca nel parco. | Il ragazzo gioca nel parco.
La gente e molto simpatica. | La gente è molto simpatica.`),
  pt: pairs(`
Eu tambem gosto de cinema. | Eu também gosto de cinema.
As criancas estão na escola. | As crianças estão na escola.
A reunião foi foi adiada. | A reunião foi adiada.
Ele não sabe o que que fazer. | Ele não sabe o que fazer.
Preciso de mais informaçao sobre o curso. | Preciso de mais informação sobre o curso.
O hotel era caro , mas bonito. | O hotel era caro, mas bonito.
Ela comprou uma passajem de ida e volta. | Ela comprou uma passagem de ida e volta.
Choveu muito. ficámos em casa. | Choveu muito. Ficámos em casa.
O medico chegou tarde. | O médico chegou tarde.
Amanha vamos à praia. | Amanhã vamos à praia.
A licao é muito longa. | A lição é muito longa.
Fazem dois anos que ele partiu. | Faz dois anos que ele partiu.
Ela tem muita esperiência. | Ela tem muita experiência.
O livro é muito intresante. | O livro é muito interessante.
Nós precizamos de ajuda. | Nós precisamos de ajuda.`),
};
