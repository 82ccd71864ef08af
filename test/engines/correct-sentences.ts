/** Correct sentences with names, numbers, quotations, addresses and jargon. */
import type { LanguageTag } from '../../shared/language.ts';

const lines = (text: string): string[] => text.trim().split('\n');

export const correctSentences: Readonly<Record<LanguageTag, readonly string[]>> = {
  en: lines(`
The harbour was quiet when the last ferry came in.
She asked whether the shop would be open on Sunday.
I have never seen so many stars as on that night.
Please send the signed contract to legal@example.com by Friday.
The meeting starts at 9:30 and should take about an hour.
We walked along the river until it got too dark to see the path.
"Nobody told me," said Miriam, and she closed the door behind her.
Could you let me know which of the two dates suits you better?
Our train was delayed by forty minutes because of a broken signal.
The recipe calls for two cups of flour, a pinch of salt and three eggs.
Its roof was damaged in the storm, but the house itself is fine.
They're going to move their furniture over there next week.
Dr. Okonkwo will see you as soon as she has finished with her patient.
The file config.yaml must be in the same folder as the program.
He used to live in Tromsø before he moved to Kraków with his wife.
If I were you, I would wait until the prices come down.
The children who had finished early were allowed to play outside.
Neither of the two answers was correct.
You can download the report from https://example.org/reports/2024-final.pdf at any time.
My grandmother's garden is full of roses, tulips and forget-me-nots.
The new version fixes a bug that made the application crash on startup.
After dinner we sat by the fire and told each other stories.
He lay down on the sofa and fell asleep within minutes.
The number of visitors has doubled since the museum reopened.
There are fewer cars on the road than there were a year ago.
I'm afraid that we cannot accept returns after thirty days.
Whose turn is it to do the dishes?
The mayor, together with two members of the council, opened the bridge.
It took us three days to cross the mountains on foot.
Run npm install before you start the server for the first time.
The doctor advised him to drink less coffee and to sleep more.
What had once been a factory is now a school of music.
She speaks Portuguese fluently, and her Italian is not bad either.
The box is too heavy for one person to carry.
I would rather stay at home than go out in this weather.
Both teams played well, but only one of them could win.
The film was so long that half of the audience left before the end.
We ordered the soup of the day and a bottle of sparkling water.
That that is true does not make it any easier to believe.
All of the money had had to be paid back by the end of March.
The Kubernetes cluster in Frankfurt was restarted at midnight.
He is a friend of mine who works for the railway.
On the one hand it is cheap; on the other hand it does not last.
Nguyen and Søren shared a room during the conference in Reykjavik.
The cat has been asleep on my keyboard since this morning.
Less sugar and more fruit would make the cake better.
They had already left by the time we arrived.
The sooner we begin, the sooner we will be done.
I can't find my glasses, although I had them a moment ago.
The path leads past an old mill and then up to the castle.
An hour later an honest man brought the wallet back.
A university in the north has found a way to recycle the plastic.
Let's meet in front of the station at a quarter to eight.
The teacher let us use our notes during the exam.
Who's going to tell him that the holiday has been cancelled?
The company employs more than 1,200 people in eleven countries.
Take the second street on the left and then go straight on.
I look forward to hearing from you soon.
Having read the letter twice, she put it back into the envelope.
The water is not safe to drink unless it has been boiled.
Ms Abernathy's proposal was accepted without a single change.
It doesn't matter who started the argument.
We could hear the waves breaking against the rocks below.
Please turn off the lights when you leave the room.
The patient's condition has improved considerably since yesterday.
In 1969 two people walked on the moon for the first time.
The bread was still warm when he cut the first slice.
Nothing is quite as good as a hot bath after a long walk.
The bus stops right outside the hospital every ten minutes.
My brother, whom you met last summer, has become a father.
The law does not apply to companies with fewer than ten employees.
Could I have the bill, please?
I wonder what became of the man who used to sell flowers here.
The painting was sold for twice as much as had been expected.
Everybody has to bring his or her own lunch.
Keep the receipt in case you want to exchange the shoes.
The committee has not yet decided whether to accept the offer.
You should have called me before you came.
The lecture on bread-making was surprisingly well attended.
Its author, a retired teacher, wrote the book in six weeks.
The effect of the new rules will not be felt for some time.
How long have you been waiting for the next bus to Oxford?
The keys are on the table next to the front door.
She would have won the race if she had not fallen.
We apologise for the inconvenience and thank you for your patience.
The dog wagged its tail and ran towards the gate.
Set the variable LOG_LEVEL to debug and try again.
I don't think that I have ever been so tired in my life.
Between you and me, I did not like the play at all.
The principal reason for the delay was a lack of spare parts.
The old clock in the hall strikes every quarter of an hour.
Only one of the windows that were open has been closed.
He passed the salt without looking up from his newspaper.
The weather forecast promises sunshine for the rest of the week.
As far as I know, nobody lives in that house any more.
Your order #48213 was shipped on 3 May and should arrive soon.
Remember to back up your data before you install the update.
The stairs were steep, narrow and rather badly lit.
Had we known about the strike, we would have taken the car.
Thank you very much for your kind words.`),
  de: lines(`
Der Hafen war still, als die letzte Fähre einlief.
Sie fragte, ob der Laden am Sonntag geöffnet sei.
Bitte schicken Sie den unterschriebenen Vertrag bis Freitag an recht@example.com.
Die Sitzung beginnt um 9:30 Uhr und dauert etwa eine Stunde.
Unser Zug hatte wegen einer Signalstörung vierzig Minuten Verspätung.
Für das Rezept braucht man zwei Tassen Mehl, eine Prise Salz und drei Eier.
Das Dach wurde im Sturm beschädigt, aber das Haus selbst ist in Ordnung.
Frau Yıldırım und Herr Nguyen teilten sich in Reykjavík ein Büro.
Wenn ich du wäre, würde ich warten, bis die Preise fallen.
Keine der beiden Antworten war richtig.
Den Bericht finden Sie unter https://example.org/berichte/2024.pdf.
Der Garten meiner Großmutter ist voller Rosen, Tulpen und Vergissmeinnicht.
Nach dem Abendessen saßen wir am Feuer und erzählten einander Geschichten.
Die Zahl der Besucher hat sich seit der Wiedereröffnung verdoppelt.
Leider können wir Rücksendungen nach dreißig Tagen nicht mehr annehmen.
Der Bürgermeister eröffnete die Brücke gemeinsam mit zwei Stadträtinnen.
Wir brauchten drei Tage, um die Berge zu Fuß zu überqueren.
Was einst eine Fabrik war, ist heute eine Musikschule.
Die Kiste ist zu schwer für eine Person.
Ich bleibe bei diesem Wetter lieber zu Hause.
Das Rechenzentrum in Frankfurt wurde um Mitternacht neu gestartet.
Er ist ein Freund von mir und arbeitet bei der Eisenbahn.
Einerseits ist es billig, andererseits hält es nicht lange.
Die Katze schläft seit heute Morgen auf meiner Tastatur.
Treffen wir uns um Viertel vor acht vor dem Bahnhof?
Das Unternehmen beschäftigt mehr als 1.200 Menschen in elf Ländern.
Nehmen Sie die zweite Straße links und gehen Sie dann geradeaus.
Ich freue mich darauf, bald von Ihnen zu hören.
Nachdem sie den Brief zweimal gelesen hatte, steckte sie ihn in den Umschlag.
Man hörte, wie die Wellen gegen die Felsen schlugen.
Bitte schalten Sie das Licht aus, wenn Sie den Raum verlassen.
Der Zustand der Patientin hat sich seit gestern deutlich gebessert.
Das Brot war noch warm, als er die erste Scheibe abschnitt.
Bewahren Sie die Quittung auf, falls Sie die Schuhe umtauschen möchten.
Der Ausschuss hat noch nicht entschieden, ob er das Angebot annimmt.
Sie hätte das Rennen gewonnen, wenn sie nicht gestürzt wäre.
Die Donaudampfschifffahrtsgesellschaft feierte ihr Jubiläum mit einem Feuerwerk.
Die Umgebungsvariable LOG_LEVEL muss vor dem Start gesetzt werden.
Soweit ich weiß, wohnt in dem Haus niemand mehr.
Vielen Dank für Ihre freundlichen Worte.`),
  fr: lines(`
Le port était silencieux quand le dernier bateau est rentré.
Elle a demandé si le magasin serait ouvert dimanche.
Veuillez envoyer le contrat signé à juridique@example.com avant vendredi.
La réunion commence à 9 h 30 et devrait durer une heure.
Notre train a eu quarante minutes de retard à cause d'une panne.
Il faut deux tasses de farine, une pincée de sel et trois œufs.
Le toit a été abîmé par la tempête, mais la maison n'a rien.
Mme Nguyen et M. Søren partageaient un bureau à Reykjavik.
Si j'étais vous, j'attendrais que les prix baissent.
Aucune des deux réponses n'était exacte.
Vous trouverez le rapport sur https://example.org/rapports/2024.pdf.
Le jardin de ma grand-mère est plein de roses et de tulipes.
Après le dîner, nous nous sommes assis près du feu.
Le nombre de visiteurs a doublé depuis la réouverture du musée.
Nous ne pouvons malheureusement pas accepter de retours après trente jours.
Le maire a inauguré le pont en compagnie de deux conseillères.
Il nous a fallu trois jours pour traverser les montagnes à pied.
Ce qui était autrefois une usine est aujourd'hui une école de musique.
La caisse est trop lourde pour une seule personne.
Par ce temps, j'aime mieux rester à la maison.
C'est un ami à moi qui travaille aux chemins de fer.
D'un côté c'est bon marché, de l'autre cela ne dure pas.
Le chat dort sur mon clavier depuis ce matin.
Retrouvons-nous devant la gare à huit heures moins le quart.
L'entreprise emploie plus de 1 200 personnes dans onze pays.
Prenez la deuxième rue à gauche, puis continuez tout droit.
Dans l'attente de votre réponse, je vous prie d'agréer mes salutations distinguées.
Après avoir lu la lettre deux fois, elle l'a remise dans l'enveloppe.
On entendait les vagues se briser contre les rochers.
Éteignez la lumière en quittant la pièce, s'il vous plaît.
L'état de la patiente s'est nettement amélioré depuis hier.
Le pain était encore chaud quand il en a coupé la première tranche.
Gardez le reçu au cas où vous voudriez échanger les chaussures.
La commission n'a pas encore décidé si elle accepterait l'offre.
Elle aurait gagné la course si elle n'était pas tombée.
Quelqu'un pourrait-il me dire à quelle heure part le prochain bus ?
Vous vous êtes trompés de porte : le bureau est au fond du couloir.
La variable LOG_LEVEL doit être définie avant le démarrage.
À ma connaissance, plus personne n'habite dans cette maison.
Merci beaucoup pour vos paroles aimables.`),
  es: lines(`
El puerto estaba en silencio cuando llegó el último barco.
Ella preguntó si la tienda abriría el domingo.
Por favor, envíe el contrato firmado a legal@example.com antes del viernes.
La reunión empieza a las 9:30 y debería durar una hora.
Nuestro tren llegó con cuarenta minutos de retraso por una avería.
Hacen falta dos tazas de harina, una pizca de sal y tres huevos.
El tejado quedó dañado por la tormenta, pero la casa está bien.
La señora Nguyen y el señor Søren compartían despacho en Reikiavik.
Yo, en tu lugar, esperaría hasta que bajaran los precios.
Ninguna de las dos respuestas era correcta.
Encontrará el informe en https://example.org/informes/2024.pdf.
El jardín de mi abuela está lleno de rosas y tulipanes.
Después de cenar nos sentamos junto al fuego y contamos historias.
El número de visitantes se ha duplicado desde la reapertura.
Lamentablemente no podemos aceptar devoluciones después de treinta días.
La alcaldesa inauguró el puente junto con dos concejales.
Tardamos tres días en cruzar las montañas a pie.
Lo que antes era una fábrica es hoy una escuela de música.
La caja pesa demasiado para una sola persona.
Con este tiempo prefiero quedarme en casa.
Es un amigo mío que trabaja en los ferrocarriles.
Por un lado es barato; por otro, no dura mucho.
El gato duerme sobre mi teclado desde esta mañana.
¿Quedamos delante de la estación a las ocho menos cuarto?
La empresa da trabajo a más de 1200 personas en once países.
Tome la segunda calle a la izquierda y siga recto.
Quedo a la espera de su respuesta.
Después de leer la carta dos veces, la guardó en el sobre.
Se oían las olas romper contra las rocas.
Apague la luz al salir de la habitación, por favor.
El estado de la paciente ha mejorado mucho desde ayer.
El pan aún estaba caliente cuando cortó la primera rebanada.
Guarde el recibo por si quiere cambiar los zapatos.
El comité todavía no ha decidido si acepta la oferta.
Habría ganado la carrera si no se hubiera caído.
¿Alguien podría decirme a qué hora sale el próximo autobús?
La variable LOG_LEVEL debe definirse antes de arrancar.
Que yo sepa, ya no vive nadie en esa casa.
¡Qué alegría volver a verte después de tantos años!
Muchas gracias por sus amables palabras.`),
  it: lines(`
Il porto era silenzioso quando arrivò l'ultimo traghetto.
Lei chiese se il negozio sarebbe stato aperto la domenica.
Per favore, invii il contratto firmato a legale@example.com entro venerdì.
La riunione comincia alle 9:30 e dovrebbe durare un'ora.
Il nostro treno ha avuto quaranta minuti di ritardo per un guasto.
Servono due tazze di farina, un pizzico di sale e tre uova.
Il tetto è stato danneggiato dal temporale, ma la casa è intatta.
La signora Nguyen e il signor Søren condividevano un ufficio a Reykjavik.
Se fossi in te, aspetterei che i prezzi scendano.
Nessuna delle due risposte era esatta.
Troverà la relazione su https://example.org/relazioni/2024.pdf.
Il giardino di mia nonna è pieno di rose e tulipani.
Dopo cena ci siamo seduti accanto al fuoco a raccontare storie.
Il numero dei visitatori è raddoppiato dopo la riapertura.
Purtroppo non possiamo accettare resi dopo trenta giorni.
Il sindaco ha inaugurato il ponte insieme a due consiglieri.
Ci vollero tre giorni per attraversare le montagne a piedi.
Quella che un tempo era una fabbrica oggi è una scuola di musica.
La cassa è troppo pesante per una persona sola.
Con questo tempo preferisco restare a casa.
È un mio amico che lavora nelle ferrovie.
Da un lato costa poco, dall'altro non dura.
Il gatto dorme sulla mia tastiera da stamattina.
Ci vediamo davanti alla stazione alle otto meno un quarto.
L'azienda dà lavoro a più di 1.200 persone in undici paesi.
Prenda la seconda strada a sinistra e poi vada sempre dritto.
Resto in attesa di una sua risposta.
Dopo aver letto la lettera due volte, la rimise nella busta.
Si sentivano le onde infrangersi contro gli scogli.
Spenga la luce quando esce dalla stanza, per cortesia.
Le condizioni della paziente sono molto migliorate da ieri.
Il pane era ancora caldo quando ne tagliò la prima fetta.
Conservi lo scontrino se vuole cambiare le scarpe.
Il comitato non ha ancora deciso se accettare l'offerta.
Avrebbe vinto la gara se non fosse caduta.
Qualcuno saprebbe dirmi a che ora parte il prossimo autobus?
La variabile LOG_LEVEL va impostata prima dell'avvio.
Per quanto ne so, in quella casa non abita più nessuno.
Ne vorrei un po' anch'io, se ce n'è abbastanza.
Grazie mille per le sue gentili parole.`),
  pt: lines(`
O porto estava em silêncio quando chegou o último barco.
Ela perguntou se a loja estaria aberta no domingo.
Por favor, envie o contrato assinado para juridico@example.com até sexta.
A reunião começa às 9:30 e deve durar uma hora.
O nosso comboio chegou com quarenta minutos de atraso.
São precisas duas chávenas de farinha, uma pitada de sal e três ovos.
O telhado ficou danificado com a tempestade, mas a casa está bem.
A senhora Nguyen e o senhor Søren partilhavam um gabinete em Reiquiavique.
No teu lugar, eu esperaria até os preços baixarem.
Nenhuma das duas respostas estava certa.
Encontra o relatório em https://example.org/relatorios/2024.pdf.
O jardim da minha avó está cheio de rosas e tulipas.
Depois do jantar sentámo-nos à lareira a contar histórias.
O número de visitantes duplicou desde a reabertura do museu.
Infelizmente não podemos aceitar devoluções depois de trinta dias.
O presidente da câmara inaugurou a ponte com duas vereadoras.
Levámos três dias a atravessar as montanhas a pé.
O que antes era uma fábrica é hoje uma escola de música.
A caixa é demasiado pesada para uma só pessoa.
Com este tempo prefiro ficar em casa.
É um amigo meu que trabalha nos caminhos de ferro.
Por um lado é barato; por outro, não dura muito.
O gato dorme em cima do meu teclado desde manhã.
Encontramo-nos em frente da estação às oito menos um quarto?
A empresa dá trabalho a mais de 1200 pessoas em onze países.
Vire na segunda rua à esquerda e siga sempre em frente.
Fico à espera da sua resposta.
Depois de ler a carta duas vezes, guardou-a no envelope.
Ouviam-se as ondas a bater nas rochas.
Apague a luz quando sair da sala, por favor.
O estado da doente melhorou muito desde ontem.
O pão ainda estava quente quando ele cortou a primeira fatia.
Guarde o recibo, caso queira trocar os sapatos.
A comissão ainda não decidiu se aceita a proposta.
Ela teria ganhado a corrida se não tivesse caído.
Alguém me pode dizer a que horas parte o próximo autocarro?
A variável LOG_LEVEL deve ser definida antes do arranque.
Que eu saiba, já ninguém mora naquela casa.
Que alegria voltar a ver-te depois de tantos anos!
Muito obrigado pelas suas palavras amáveis.`),
};
