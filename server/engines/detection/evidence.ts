/**
 * What speaks for each language: two statistical detectors that err in different places, under one set
 * of language codes, and the words that are known.
 */
import { loadModule } from 'cld3-asm';
import { eld } from 'eld/small';
import type { LanguageTag } from '../../../shared/language.ts';
import type { Script } from './letters.ts';
import type { WordLists } from './word-lists.ts';

/** How much speaks for each language, 0 to 1. */
export type Evidence = ReadonlyMap<LanguageTag, number>;

export interface Statistics {
  /** n-gram frequencies: the likeliest language has 1. Knows some 60 languages. */
  byNgrams(text: string): Evidence;
  /** A neural network's one guess and its probability. Knows some 100 languages. */
  byNetwork(text: string): { language: LanguageTag; probability: number };
}

/**
 * Codes that the detectors write otherwise. Malay and Indonesian are one to the n-gram tables, and
 * Serbian and Bosnian in Latin letters cannot be distinguished from Croatian: such texts get one name.
 */
const LATIN_CODES: Readonly<Record<string, LanguageTag>> = {
  no: 'nb',
  fil: 'tl',
  bs: 'hr',
  sr: 'hr',
  ms: 'id',
  ku: 'kmr',
};
const OTHER_CODES: Readonly<Record<string, LanguageTag>> = { iw: 'he', ku: 'ckb' };

/** Languages the n-gram tables do not have. */
export const withoutNgrams: ReadonlySet<LanguageTag> = new Set(
  'ceb cy eo ga gl ha ht ig jv la lb mg mi mt st su sw uz xh zu mk kk ky mn tg ps ne yi'.split(' '),
);

/** Compiling the network takes a slow or busy machine longer than the 3 s that its loader grants. */
const LOADING_TIMEOUT_MS = 60_000;

/** Loads both detectors; they stay for the life of the process. */
export async function loadStatistics(): Promise<Statistics> {
  const factory = await loadModule({ timeout: LOADING_TIMEOUT_MS });
  // Short texts are taken as well, and no more than was cut off before: 3 bytes a character.
  const network = factory.create(0, 1536);
  return {
    byNgrams(text) {
      const scores = Object.entries(eld.detect(text).getScores());
      const best = scores[0]?.[1] ?? 1;
      const codes = codesFor(text);
      const evidence = new Map<LanguageTag, number>();
      for (const [code, score] of scores) evidence.set(codes[code] ?? code, score / best);
      return evidence;
    },
    byNetwork(text) {
      const { language, probability } = network.findLanguage(text);
      return { language: codesFor(text)[language] ?? language, probability };
    },
  };
}

function codesFor(text: string) {
  return /\p{Script=Latin}/u.test(text) ? LATIN_CODES : OTHER_CODES;
}

// Words: very frequent ones, those of the lists, and those that are another language's.

/** So typical of a language are the letters of its usual words, and of a foreign one at most. */
const TYPICAL = 0.9;
const UNTYPICAL = 0.5;

/**
 * Which languages have a word only by a form that hardly anybody writes, `vida` of French `vider`: by
 * its letters it is another language's, which has it as well. One word alone must be at home in two.
 */
export function foreignWords(
  words: readonly string[],
  { statistics, lists, script }: { statistics: Statistics; lists: WordLists; script: Script },
): (language: LanguageTag) => boolean {
  const homes = words.length === 1 ? 2 : 1;
  return (language) =>
    words.some((word) => {
      if (languagesOfWord.get(word)?.includes(language) === true) return false;
      const ngrams = statistics.byNgrams(word);
      if ((ngrams.get(language) ?? 0) >= UNTYPICAL) return false;
      const isHome = (each: LanguageTag) =>
        (ngrams.get(each) ?? 0) >= TYPICAL &&
        lists.languages.has(each) &&
        lists.share(each, word) === 1;
      return script.languages.filter(isHome).length >= homes;
    });
}

/** Which share of the letters is in words of each language that has a list. */
export function listEvidence(
  words: readonly string[],
  script: Script,
  lists: WordLists,
): Map<LanguageTag, number> {
  const evidence = new Map<LanguageTag, number>();
  const parts = words.flatMap((word) => word.split(/['’-]/u)).filter((part) => part !== '');
  const length = parts.join('').length;
  for (const language of script.languages) {
    if (!lists.languages.has(language)) continue;
    let known = 0;
    for (const part of parts) {
      const isFrequent = languagesOfWord.get(part)?.includes(language) === true;
      known += part.length * (isFrequent ? 1 : lists.share(language, part));
    }
    evidence.set(language, known / length);
  }
  return evidence;
}

/** Which share of the words is frequent in each language, and in whatever others. */
export function everydayShares(words: readonly string[]): Map<LanguageTag, number> {
  const shares = new Map<LanguageTag, number>();
  for (const language of words.flatMap((word) => languagesOfWord.get(word) ?? [])) {
    shares.set(language, (shares.get(language) ?? 0) + 1 / words.length);
  }
  return shares;
}

/** Which share of the words is frequent in a language; shared words count less. */
export function wordEvidence(words: readonly string[]): Map<LanguageTag, number> {
  const evidence = new Map<LanguageTag, number>();
  for (const word of words) {
    const languages = languagesOfWord.get(word) ?? [];
    const share = 1 / (words.length * Math.sqrt(languages.length));
    for (const language of languages) evidence.set(language, (evidence.get(language) ?? 0) + share);
  }
  return evidence;
}

// The words that a text in a language can hardly do without, and what people greet and try out a
// translator with. Statistics need some length to be sure; these few words decide short texts.
// Languages whose script names them are not here.

const wordsByLanguage: Readonly<Record<LanguageTag, string>> = {
  af: 'die en van het is dit nie ek jy hy sy ons julle hulle wat vir met op om te aan by was sal kan moet maar ook baie goeie môre dankie asseblief hallo daar hier waar hoe hierdie word',
  ar: 'في من على إلى أن هذا هذه التي الذي لا ما هو هي كان مع عن كل أو ثم قد لم مرحبا أهلا شكرا السلام عليكم صباح مساء الخير نعم أنا أنت كيف حالك أين متى لماذا',
  be: 'і ў не на я што гэта як з да ён яна мы вы яны але калі для дзе хто чаму быў была было вельмі добры дзень дзякуй прывітанне ласка так няма можна толькі',
  bg: 'и в на не се за да е от с по аз ти той тя ние вие те това този тази какво как къде кога защо но или ще беше съм са има няма може много добро утро добър ден здравей здравейте благодаря моля довиждане къща един една ми',
  ca: 'el la els les un una i de del dels que no en és amb per a al com més però ha són aquest aquesta jo tu ell ella nosaltres què on quan molt bé bon dia gràcies si us plau adéu meu meva seu seva també fins bona nit casa entre sobre',
  cs: 'a v je se na to že s z do o i jak ale jsem jsi jsou jsme byl byla bylo co kde kdy proč pro za od po nebo jen už tak není mám máte být ten ta ty já my vy oni který která dobrý den dobré ráno ahoj děkuji prosím nashledanou ano ne čau',
  da: 'og i at er det en et den til på af med ikke jeg du han hun vi de som der for har var kan vil skal hvad hvor hvornår hvorfor men eller mig dig sig min din meget godmorgen goddag hej tak farvel undskyld ja nej fra om så ud op nu noget lige blev bliver af efter nogen gør gøre børn børnene dreng pige haven vejret dansk uge også hjem først bedre',
  de: 'der die das und ist in zu den von mit nicht ein eine einen einem ich du er sie es wir ihr auf für dem des im am an als auch sich wie was wo wann warum aber oder hat haben war sind wird kann bei nach nur noch mein dein guten tag morgen abend gute nacht hallo danke bitte tschüss wiedersehen ja nein dass wenn zum zur über aus',
  en: 'the of and to in is that it for was on are as with his they at be this from i you he she we have not or by one had but what all were when your can said there use an each which do how their if will up other about out many then them these so some her would make like him into time has look two more go see no way could my than been who its now find long down day did get come made may where why please thank thanks hello hi good morning evening night world yes bye goodbye sorry welcome test me us our am here just very',
  eo: 'la kaj en de al estas ne mi vi li ŝi ĝi ni ili kiu kio kie kiel kiam kial por kun sur sed aŭ ke tio tiu ĉi ĉiu bonan tagon saluton dankon bonvolu estis povas havas mia via unu jes',
  es: 'el la los las de del que y a en un una unos unas es no se por con para su al lo como más pero sus le ya o este esta esto sí porque entre cuando muy sin sobre también me hasta hay donde quien desde todo nos yo tú él ella nosotros qué cómo dónde cuándo está están son ser mi buenos días buenas tarde tardes noche noches hola gracias favor adiós mundo soy eres tengo tiene casa',
  et: 'ja on ei et see kui ka ta ma sa me te nad oli mis kus kes kuidas millal miks aga või selle seda oma ning minu sinu tema mul sul väga tere hommikust päevast õhtust aitäh palun head aega jah olen oled pole siis nii veel',
  fa: 'و در به از که این را با است برای آن تا می سلام ممنون مرسی لطفا خوب من تو شما چه کجا چرا بله نه صبح بخیر هست حال چطوری',
  fi: 'ja on ei että se hän minä sinä me te he oli mitä missä kuka miten milloin miksi mutta tai kun niin myös jos ole olen olet ovat tämä tuo kuin minun sinun hyvää huomenta päivää iltaa hei moi kiitos näkemiin anteeksi kyllä sen sitä joka nyt vain hyvin ollut',
  fr: 'ai as a avez avons ont le la les un une des de du et est en à au aux que qui ne pas je tu il elle nous vous ils elles on ce cette ces dans pour par sur avec sont ou où mais plus se son sa ses mon ma mes ton ta votre notre être avoir fait quand comment pourquoi quoi très bien bonjour bonsoir salut merci oui non revoir suis monde tout aussi était si entre',
  ga: 'an na agus ar is tá a i le go ní mé tú sé sí muid sibh siad ag do bhí níl cad cá conas cathain cén ach nó seo sin maidin mhaith dia duit slán raibh agat thoil',
  gl: 'o a os as un unha e de do da dos das que non en no na é con por para se como máis pero ou eu ti el ela nós vós onde cando moi ben bos días boas noites ola grazas favor adeus ao á meu miña teu túa está son tamén casa entre sobre todo',
  hi: 'है में की के का और से को यह वह नहीं हैं मैं आप क्या कैसे कहाँ क्यों पर एक नमस्ते धन्यवाद सुप्रभात',
  hr: 'i u na je se da su za ne od s sa što kako gdje kada zašto ali ili koji koja koje sam si smo ste bio bila bilo nije iz to ovo dobro jutro dobar dan večer bok zdravo hvala molim doviđenja djeca tko vrijeme tjedan samo može',
  hu: 'a az és hogy nem is egy van volt de ez meg már csak el én te ő mi ti ők ha mint mit hol mikor miért hogyan vagy nagyon jó reggelt napot estét szia helló köszönöm kérem viszontlátásra igen vagyok ki be még azt amikor után lesz kell szép',
  id: 'yang dan di ke dari ini itu untuk dengan tidak adalah pada saya anda kamu dia kami kita mereka ada akan bisa sudah atau juga tetapi apa mana kapan mengapa bagaimana siapa selamat pagi siang sore malam halo terima kasih tolong maaf sampai jumpa ya bukan oleh sangat dalam lebih rumah sebuah telah karena',
  is: 'og að er í á það sem ekki en um við með til ég þú hann hún þið þeir var hefur hvað hvar hvenær góðan daginn halló takk já nei fyrir þetta frá eða',
  it: 'il lo la i gli le un uno una di del della dei delle e è in a al alla che non per con da su si come più ma se io tu lui lei noi voi loro sono sei siamo ho hai ha questo questa cosa dove quando perché chi molto anche mi ti ci buongiorno buonasera ciao grazie prego arrivederci sì no buona notte nel nella mondo bene mio mia era hanno fare casa',
  lt: 'ir yra ne kad į iš su tai kaip aš tu jis ji mes jūs jie bet ar kur kada kodėl kas labai labas rytas diena vakaras laba ačiū prašau sudie taip buvo nuo iki apie tik jau šis ši mano tavo dėl per po už sveiki',
  lv: 'un ir ar uz no par ka kas es tu viņš viņa mēs jūs viņi bet vai kur kad kāpēc kā ļoti labrīt labdien labvakar sveiki paldies lūdzu jā nē bija nav tas tā šis šī mans tavs pie līdz lai tikai arī',
  mk: 'и во на не се за да е од со јас ти тој таа ние вие тие ова што како каде кога зошто но или ќе беше сум има нема може многу добро утро добар ден здраво благодарам ве молам',
  mr: 'आहे आहेत आणि मी तो ती हे नाही काय कसे कुठे एक या नमस्कार धन्यवाद',
  mt: 'u li ta il fil mill għal ma hu jien int hija huwa dan din fejn meta għaliex iżda jew mhux kien għandu bonġu saħħa grazzi jogħġbok iva le kif inti tagħhom',
  nb: 'og i at er det en et den til på av med ikke jeg du han hun vi de som for har var kan vil skal hva hvor når hvorfor men eller meg deg seg min din mye veldig god morgen dag hei takk ha bra vær så snill ja nei fra om nå noe bare ble etter dere hvordan uke blir noen gjør gjøre barna gutt jente leker hagen været norsk også hjem først bedre opp ut seg',
  nl: 'tot de het een en van in is dat op te zijn met voor niet aan er om ik je jij hij zij wij we ze u ook maar als dan dit die bij naar uit nog wel heb heeft was wat waar wanneer waarom hoe wie of mijn jouw zeer goedemorgen goedendag goedemiddag goedenavond hallo hoi dank bedankt alstublieft alsjeblieft dag tot ziens ja nee geen wordt worden deze goede',
  pl: 'i w na z do nie się to jest że jak o co ale po tak za od dla jestem jesteś są był była było ja ty on ona my wy oni czy gdzie kiedy dlaczego kto który która bardzo już tylko może mam dzień dobry wieczór cześć dziękuję proszę widzenia dobranoc tego przez mnie ma oraz lub być',
  pt: 'o a os as um uma de do da dos das em no na nos nas que e é não se por com para como mais mas ou eu tu você ele ela nós eles elas ao à seu sua meu minha são está foi ser tem onde quando porquê quem muito também bom dia boa tarde noite olá oi obrigado obrigada favor adeus até isso este esta tudo bem mundo sim só pelo pela já casa entre sobre todo',
  ro: 'și în de la a cu pe nu este un o că din pentru care mai ce se să al ai ale eu tu el ea noi voi ei sunt ești era am are dar sau unde când cum cine foarte bună dimineața ziua seara salut mulțumesc te rog vă revedere da acest această fost după prin lui mea meu lume fi ca',
  ru: 'и в не на я что он она они мы вы ты с как это по но из к у за то все так его от для о же бы был была было быть есть где когда почему кто какой очень уже только если или нет да мне меня мой привет здравствуйте спасибо пожалуйста добрый день доброе утро вечер до свидания мир можно',
  sk: 'a v je sa na to že s z do o aj ako ale som si sú sme bol bola bolo čo kde kedy prečo pre za od po alebo len už tak nie mám máte byť ten tá ja my vy oni ktorý ktorá dobrý deň dobré ráno ahoj ďakujem prosím dovidenia áno keď',
  sl: 'in v je se na da so za ne to ki z s kot pa sem si smo ste bil bila bilo kaj kje kdaj zakaj kdo ali tudi od po pri ko jaz ti mi vi oni kako zelo dobro jutro dober dan večer živjo zdravo hvala prosim nasvidenje ja samo lahko že še bi ga nisem iz',
  sq: 'dhe në e të i një me për nga që është nuk ka unë ti ai ajo ne ju ata si ku kur pse mirë mëngjes ditë përshëndetje faleminderit lutem po jo janë këtë',
  sr: 'и у на је се да су за не од са шта како где када зашто али или који која које сам си смо сте био била било није из то ово добро јутро добар дан вече здраво хвала молим довиђења деца ко време недеља само може',
  sv: 'och i att är det en ett den till på av med inte jag du han hon vi de som för har var kan vill ska vad hur när varför men eller mig dig sig min din mycket god morgon dag hej tack hejdå snälla ja nej från om nu något bara blev efter ni ut ur så vid där också blir någon gör göra barnen pojke flicka trädgården vädret svensk vecka hem först bättre detta',
  tl: 'ang ng sa na mga at ay si ni ko mo siya ako ikaw kami tayo kayo sila ito iyan hindi po opo para may mayroon wala ano saan kailan bakit paano sino magandang umaga gabi hapon araw salamat kumusta paalam lang din rin kung',
  tr: 've bir bu da de için ile ne ben sen o biz siz onlar çok daha gibi ama mi mı mu var yok nasıl nerede neden kim kadar olarak olan değil evet hayır merhaba selam günaydın iyi günler akşamlar geceler teşekkür ederim teşekkürler lütfen hoşça kal güle benim her sonra en şey ise',
  uk: 'і в у не на я що він вона вони ми ви ти з як це по але із до за то все так його від для про же був була було бути є де коли чому хто який дуже вже тільки якщо або ні мені мене мій привіт вітаю дякую будь ласка добрий день доброго ранку вечір побачення та й світ можна',
  ur: 'اور کے کی کا میں ہے سے کو نے پر یہ وہ نہیں ہیں شکریہ آپ کیا کہاں کیوں ایک',
  vi: 'và của là có không được cho trong với các những một người này tôi bạn anh chị em ông bà chúng ta họ đã đang sẽ ở đâu khi nào tại sao gì thế làm như nhưng hay cũng rất xin chào cảm ơn tạm biệt vâng buổi sáng tối đến từ ra vào để mà thì bị về nó',
};

/** Languages by word, in lower case. */
const languagesOfWord: ReadonlyMap<string, readonly LanguageTag[]> = indexWords();

function indexWords(): Map<string, LanguageTag[]> {
  const index = new Map<string, LanguageTag[]>();
  for (const [language, words] of Object.entries(wordsByLanguage)) {
    for (const word of new Set(words.split(' '))) {
      const known = index.get(word);
      if (known === undefined) index.set(word, [language]);
      else known.push(language);
    }
  }
  return index;
}
