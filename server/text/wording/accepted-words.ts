/**
 * Words that people use and dictionaries lack, each next to a commoner one: what is not in a
 * dictionary is not therefore a mistake.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';

/** Of the trade, the same in all languages. */
const technical = words(`
  admin api app args async auth avatar backend backlog backup barista batch beta blog blogger
  bluetooth boolean bot browser brunch buffer bug build burger burnout business bytes cache
  callback cappuccino cashback casting catering chai charter chat chatbot check checklist churro
  churros cli click cloud cluster coach coaching cocktail codec comeback commit compiler config
  container cookie cookies cool cortado coworking cpu cron crowd crowdfunding cyber daemon
  dashboard deal debug deepfake deploy design designer desktop dev developer devops dim docker
  dongle download driver emacs email emoji endpoint espresso ethernet exploit fairplay falafel
  fallback fan fashion feature feed feedback feng firewall firmware fitness flag follower food
  fork format framework freelancer freemium frontend gaming gender gif gin git github gmail
  gnocchi google gpu grep hackathon hacker haiku halloumi hardware hash hashtag hipster hobby
  holding host hosting hostname html https hummus hype influencer init inode iphone java job
  jogging joystick json karaoke kebab kernel ketchup keyboard kimchi kitsch knowhow kubectl
  kubernetes laptop latte layout leasing lichen lifestyle like likes link linter linux live
  livestream localhost log login logout look lounge macchiato mail malware manager manga
  margherita marketing match matcha meeting meme merge middleware mindset mix mixer mobbing mock
  mockup mod modem mojito mozzarella music mysql naan nachos namespace nginx node npm offline
  online open opensource outfit outsourcing pad panini param parser party patch pdf phishing pho
  php pitch pixel pizza playlist playoff plugin podcast podcaster poke popup post pressing prompt
  prosecco proxy pub pull push python query quinoa quiz ramen ransomware readme rebase recruiting
  refactor regex release remake remix repo resort retweet roadmap root router runtime sake
  sandwich sashimi sauna scanner screenshot script scripts scroll scrum sdk selfie server service
  shell shiitake shop shopping show showroom shui site skype smart smartphone smartwatch snack
  snapshot snowboard software songwriter spa spam spoiler spot sprint sql ssh stack standard star
  startup stderr stdin stdout stories story stream streamer streaming stress string stub style
  sudo surf survey sushi switch tab tablet taco tag tai talk tanka tapas task tattoo team teaser
  template tempura teriyaki test thread thriller ticket timeline timeout timing tiramisu tofu
  token tool toolkit tortilla touch touchpad tour tower trailer trainer training trekking trend
  troll truck tsunami tutorial tweet udon unix update upgrade upload url usb user username vegan
  video vim vintage vip vlog vlogger voip voucher wallet wasabi webcam webhook webinar webpack
  website websocket wellness whatsapp whiskey whisky widget wifi wiki wikipedia wok workflow
  workshop www xml yoga youtube youtuber zen zip zombie zoom
`);

const accepted: Readonly<Record<LanguageTag, ReadonlySet<string>>> = {
  en: words(`
    accompli aglet aioli bento biro bloke blokey bodger bonnie brekkie bruv bubba cabbie cava cist
    dekko del den der don'ts don’ts dosa dove eejit farro galette gaol gaoler haar kirk kofta las latke les loch
    los maitre mezze minging mog moira motte nana numpty oast oot owt pak pashmina peng pled
    polenta posho purée raita rosti schmear scouse sith sotto stoush tikka trattoria udon van von
    wych
  `),
  de: words(`
    app apps checken checkt checkte chillen chillt chillte daten datet dissen downloaden fake faken
    gecheckt gechillt gehypt geliked geliket gelikt gepostet gestreamt getaggt liken likt likte
    mailen mailt mailte moin nee nen nix outet poste posten postet postete posteten servus shoppen
    shoppt simsen simst skaten skypen skypte snacken spammen streamen streamt streamte streamten
    swipen switchen taggen taggte tindern tschö tweeten updaten uploaden
  `),
  es: words(`
    clicar googlear guglear hackear linkear loguear mailing resetear stalkear whatsappear
  `),
  fr: words(`
    checker emailing emails follow stories uploader
  `),
  it: words(`
    bloggare chattare chattava googlare linkare spammare taggare taggato uploadare
  `),
  pt: words(`
    blogueira blogueiro deletar escanear googlar linkar logar mouse notebook resetar tuitar tuíte
    tuitou upar
  `),
};

/** Whether a word, in lower case, is right although a dictionary may not know it. */
export function isAccepted(word: string, language: LanguageTag): boolean {
  const base = baseLanguage(language);
  return [word, word.replace(/['’]?s$/, '')].some(
    (each) => technical.has(each) || accepted[base]?.has(each) === true,
  );
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
