/**
 * Correct sentences that invite changes: idioms, names, loanwords, dialects, jargon, headlines, and words
 * that resemble commoner ones. None contains a word whose spelling differs between American and British
 * English.
 */
const lines = (text: string): string[] => text.trim().split('\n');

export const trickySentences: readonly string[] = lines(`
He parked on the kerb outside the old gaol.
They live on the third storey of a block of flats.
The building has twelve storeys and no lift.
I dreamt of the sea, and when I woke I had spilt my tea.
She spelt it out for him, letter by letter.
We played draughts with a nice bloke from Leeds.
She is good at maths and learnt it early.
He pled guilty, and afterwards he was taken away.
She dove into the lake and swam to the far side.
They snuck out of the house and had gotten far by dawn.
What it is is a mess.
What she does is is anybody's guess.
It's way better than it was, and I think it's way past midnight.
It's family first in this house.
Here are the dos and don'ts of cooking.
The key that you look for for the garden is under the mat.
Those are the people I live with with pleasure.
The man he gave it to to my surprise gave it back.
Every one of us has to bring a torch.
Only a strong government can effect a change.
She does not want to affect the outcome.
I'd like a margherita with extra basil.
Use sudo to restart nginx on the server.
Whom did you see at the party?
To whom it may concern.
The man whom they elected resigned within a week.
It is I who am to blame.
None of them are coming, and none of it is ready.
The data are clear, but the media is not convinced.
If I was rude, I am sorry.
If it were up to me, we would leave now.
I wish I could, but I must away.
Come what may, the show must go on.
Be that as it may, we lost.
Suffice it to say that nobody laughed.
Long time no see!
Far be it from me to criticize.
The more the merrier, as they say.
He was wont to take a walk before supper.
She wended her way home through the gloaming.
They were hoist with their own petard.
His ken did not extend to music.
The dog was put down, and the cat followed suit.
We had a chinwag over a cuppa and a biscuit.
He is chuffed to bits with his new telly.
The wee lad gave his nan a cuddle.
I reckon that he nicked it from the shop.
She popped round for a natter on Boxing Day.
Mind the gap between the train and the platform.
The solicitor read the will to the heirs.
Aluminium is lighter than steel.
Y'all come back now, you hear?
I ain't got nobody, the song goes.
The faucet in the restroom drips.
He ate a bagel with lox and a schmear.
The sidewalk was covered with fall leaves.
The chef served gnocchi, pho and a bowl of ramen.
We had tapas, then churros, then a cortado.
The barista made me a flat white.
A soupçon of irony never hurts.
Her naïveté was part of her charm.
The maître d' led us to our table.
He wrote his résumé in a café.
The coup d'état was a fait accompli.
It was a case of schadenfreude, pure and simple.
The zeitgeist has little room for such kitsch.
She practises tai chi and studies feng shui.
The haiku and the tanka are short forms.
Emoji and memes spread faster than news.
Karaoke was followed by sake and sushi.
The sauna was hotter than the hammam.
The imam and the rabbi signed the letter.
The repo has a linter, a formatter and a bundler.
Run git rebase, then push to the fork.
The frontend talks to the backend over websockets.
Clone the repo and run make in the root folder.
The kernel panics when the driver is unloaded.
He uses vim, she uses emacs, and nobody uses nano.
The cron job writes its logs to stdout.
Add a regex to the config and reload the daemon.
The hostname resolves to localhost by default.
The webhook returns a JSON payload.
We mock the API and stub the rest.
Parse the args before you call the init function.
The dev team ships on Fridays.
The podcast has a blog and a vlog.
The codec decodes the stream on the GPU.
The admin muted the bots in the chat.
Mayor Slams Council Over Parking Row
Man Bites Dog, Dog Sues
Fed Holds Rates, Stocks Rally
Police seek man in bank raid
Storm leaves thousands without power
Kiev, Peking and Bombay are names on old maps.
Siobhan and Niamh flew to Cork with Aoife.
O'Brien and McAllister drove to Ypsilanti.
Ms Nakamura met Dr van der Berg in Ghent.
The Beatles' first record came out in 1962.
James's brother borrowed the Joneses' car.
The Ides of March are come.
Thou shalt not steal.
Wherefore art thou Romeo?
The oculist prescribed a monocle.
The farrier shod the mare in the byre.
The sloe gin is made with sloes from the hedge.
A skein of geese flew over the weir.
The lichen on the cairn is centuries old.
`);
