/**
 * Words that a text in a language can hardly do without, of languages for which nobody else lists them,
 * and of English and French, whose lists come from the web and from newspapers, where people do not
 * greet each other or say what they want.
 */
import type { LanguageTag } from '../../../shared/language.ts';

/** Two words that only together are one language's have `_` between them. */
const commonWords: Readonly<Record<LanguageTag, string>> = {
  ar: 'في من على إلى أن هذا هذه التي الذي لا ما هو هي كان مع عن كل أو ثم قد لم مرحبا أهلا شكرا السلام عليكم صباح مساء الخير نعم أنا أنت كيف حالك أين متى لماذا',
  be: 'і ў не на я што гэта як з да ён яна мы вы яны але калі для дзе хто чаму быў была было вельмі добры дзень дзякуй прывітанне ласка так няма можна толькі',
  cy: "y yr yn mae ydy ydw dw rwy rydw rwy'n mae'n wyt chi ti fi nhw bore_da prynhawn nos_da diolch gwelwch sut shwmae helo hwyl beth ble pryd pam pwy ddim neu gyda gan wedi oes nac ie croeso iawn mawr fach heddiw yfory",
  en: "the of and to in is that it for was on are as with his they at be this from i you he she we have not or by one had but what all were when your can said there use an each which do how their if will up other about out many then them these so some her would make like him into time has look two more go see no way could my than been who its now find long down day did get come made may where why please thank thanks hello hi good morning evening night world yes bye goodbye sorry welcome test me us our am here just very much whose any does don't it's i'm you're isn't can't today tomorrow yesterday never always nothing something someone another better best afternoon too again off back soon after before without s t m re ve ll nice a used being hers themselves those such own same both few until while because through between under over during above below against should might must shall doing done going got every everything everyone nobody anybody anything somebody still also even ever well yet already maybe i've i'll we're they're that's what's didn't doesn't won't we'll let's",
  eo: 'la kaj en de al estas ne mi vi li ŝi ĝi ni ili kiu kio kie kiel kiam kial por kun sur sed aŭ ke tio tiu ĉi ĉiu bonan tagon saluton dankon bonvolu estis povas havas mia via unu jes',
  eu: 'eta da ez bat dira zer non noiz zergatik nola nor ni zu gu egun gabon arratsalde kaixo agur eskerrik asko mesedez bai oso ere baina dut duzu dago daude hau hori izan zen',
  fa: 'و در به از که این را با است برای آن تا می سلام ممنون مرسی لطفا خوب من تو شما چه کجا چرا بله نه صبح بخیر هست حال چطوری',
  fr: "ai as a avez avons ont le la les un une des de du et est en à au aux que qui ne pas je tu il elle nous vous ils elles on ce cette ces dans pour par sur avec sont ou où mais plus se son sa ses mon ma mes ton ta votre notre être avoir fait quand comment pourquoi quoi très bien bonjour bonsoir salut merci oui non revoir suis monde tout aussi était si entre quel quelle quels quelles combien ici là maintenant aujourd'hui demain hier toujours jamais rien quelque chose autre autres chaque beaucoup peu moins mieux font fais peux peut peuvent veux veut voudrais va vais allons vont étaient êtes sommes avait nos vos leur leurs lui y après avant pendant contre sans encore déjà alors donc deux trois quatre cinq pardon appelle aime j l d m n s c qu t bon bonne me te mal tard vers sous es eu étais serai sera serait seront ayant fut ni car dont cela ça c'est celui celle ceux celles lequel quelqu'un personne tous toute toutes trop assez ainsi voici voilà ailleurs dehors dedans dessus dessous devant derrière chez depuis jusque jusqu'à parce lorsque puisque dit dis dites faire faites faut pourrait pouvez pouvons voulez voulons allez vas vu mis pris même mêmes seul seule j'ai n'est qu'il qu'elle d'accord tes eux moi toi",
  ga: 'an na agus ar is tá a i le go ní mé tú sé sí muid sibh siad ag do bhí níl cad cá conas cathain cén ach nó seo sin maidin mhaith dia duit slán raibh agat thoil',
  gl: 'o a os as un unha e de do da dos das que non en no na é con por para se como máis pero ou eu ti el ela nós vós onde cando moi ben bos días boas noites ola grazas favor adeus ao á meu miña teu túa está son tamén casa entre sobre todo xa dun dunha nun nunha sen ata hai foi fixo queres quero podo pode aquí alí hoxe mañá onte agora sempre nunca nada ninguén outro outra moito moita pouco mellor súa seu meus isto iso aquel eles elas co coa pola polo xente auga pan viño cervexa leite queixo mazá muller neno nena fillo fillos nai irmán can gato cabalo paxaro árbore flor xardín choiva chuvia neve vento río ano mes semana día hora tempo luns martes mércores xoves venres domingo vermello branco negro amarelo grande pequeno novo nova vello xove frío quente barato aberto pechado cheo baleiro primeiro último próximo seguinte escola traballo diñeiro prezo libro carta palabra páxina nome número estación tenda saúde cabeza man ollo corazón zapatos roupa bolsa ficheiro mensaxe conta contrasinal usuario gardar eliminar enviar engadir cambiar mostrar comer beber durmir mercar vender pagar viaxe falar escribir ler saber ver vivir vida amor axuda pregunta resposta problema esquerda dereita cara facer rúa cidade fiestra porta cadeira mesa',
  hi: 'है में की के का और से को यह वह नहीं हैं मैं आप क्या कैसे कहाँ क्यों पर एक नमस्ते धन्यवाद सुप्रभात',
  hr: 'i u na je se da su za ne od s sa što kako gdje kada zašto ali ili koji koja koje sam si smo ste bio bila bilo nije iz to ovo dobro jutro dobar dan večer bok zdravo hvala molim doviđenja djeca tko vrijeme tjedan samo može laku noć dobra sutra danas jučer sada uvijek nikad ništa nešto netko više manje loše malo puno ovdje tamo dva tri zovem želim mora mogu znam koliko moj moja tvoj naš njegov njihov nas vas mi ti hladno toplo velik mali',
  is: 'og að er í á það sem ekki en um við með til ég þú hann hún þið þeir var hefur hvað hvar hvenær góðan daginn halló takk já nei fyrir þetta frá eða',
  mr: 'आहे आहेत आणि मी तो ती हे नाही काय कसे कुठे एक या नमस्कार धन्यवाद',
  mt: 'u li ta il fil mill għal ma hu jien int hija huwa dan din fejn meta għaliex iżda jew mhux kien għandu bonġu saħħa grazzi jogħġbok iva le kif inti tagħhom',
  sr: 'и у на је се да су за не од са шта како где када зашто али или који која које сам си смо сте био била било није из то ово добро јутро добар дан вече здраво хвала молим довиђења деца ко време недеља само може',
  sw: 'na ya wa kwa ni habari asante sana jambo karibu kwaheri tafadhali ndiyo hapana nini wapi lini nani mimi wewe yeye sisi hii hapa leo kesho jana nzuri',
  tl: 'ang ng sa na mga at ay si ni ko mo siya ako ikaw kami tayo kayo sila ito iyan hindi po opo para may mayroon wala ano saan kailan bakit paano sino magandang umaga gabi hapon araw salamat kumusta paalam lang din rin kung',
  ur: 'اور کے کی کا میں ہے سے کو نے پر یہ وہ نہیں ہیں شکریہ آپ کیا کہاں کیوں ایک',
};

const languagesByWord = new Map<string, LanguageTag[]>();
for (const [language, words] of Object.entries(commonWords)) {
  for (const joined of new Set(words.split(' '))) {
    const word = joined.replace('_', ' ');
    languagesByWord.set(word, [...(languagesByWord.get(word) ?? []), language]);
  }
}

/** Whether words, in lower case, are in one of the lists together. */
export function isCommonPhrase(words: string): boolean {
  return words.includes(' ') && languagesByWord.has(words);
}

/** Whether a word, in lower case, is one of a language that has such a list. */
export function isCommon(word: string, language: LanguageTag): boolean {
  return languagesByWord.get(word)?.includes(language) === true;
}

/**
 * What all languages have taken from one: it says nothing of the language around it, though the one that
 * it is from has the words in its dictionary.
 */
const borrowed =
  /(?<=^| )(?:a la carte|ad hoc|alter ego|bona fide|de facto|per diem|pro rata|status quo|vice versa|cappuccino|espresso|latte|pizza|sushi|taco)(?= |$)/g;

/** @param text words in lower case, single blanks between them */
export function borrowedWordsIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(borrowed)].flatMap(([phrase]) => phrase.split(' ')));
}
