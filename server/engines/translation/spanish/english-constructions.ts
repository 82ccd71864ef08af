/**
 * Rules for single constructions from Spanish to English: which readings words have, and sentences that English
 * builds differently. They stand in the source grammar, whose sets they use.
 */
import { entriesOf } from '../grammars.ts';
import { STATES } from './english-words.ts';

/** Rules that choose readings. */
export const READING = String.raw`
REMOVE ("crear"i) IF (0 ("<creo>"i)) ;
SELECT (prn) IF (0 ("<nada>")) (-1 V) ;
SELECT N IF (0 ("<ganas>")) (-1 ("tener"i) OR ("<muchas>")) ;
SELECT N IF (0 ("<médico>") OR ("<médica>") OR ("<médicos>") OR ("<médicas>")) (-1 ("ser"i)) ;
SELECT (det) IF (0 ("<un>"i) OR ("<una>"i)) (1 ("<muy>")) ;
REMOVE (pri) IF (0 (ifi p1 pl)) (-1 ("<cuando>")) (-2* (pii) OR (ifi)) ;
SELECT ("vivir"i) IF (0 ("<vivo>"i)) (1 ("<en>")) ;
SELECT ("mañana" adv) IF (NOT -1 DET OR (pr) OR ADJ OR ("<at>"i) OR ("<la>")) ;
SELECT STATE_NOUN IF (-1 ("tener"i)) ;
SELECT ("amigo" n) IF (-1 ("ser"i)) ;
SELECT ("costar") IF (-1 ("cuánto"i)) ;
REMOVE N IF (0 (vblex p2)) (-1 ("<¿>")) ;
REMOVE (imp) IF (-1 ("<¿>")) ;
SELECT ("frío" adj) IF (-1* ("hacer"i) BARRIER N OR V) ;
SELECT ("deber"i vbmod) IF (1 (inf) OR (enc)) ;
SELECT ("pronto" adv) IF (1 (sent) OR (cm)) ;
SELECT (pp) IF (-1 ("<+never>")) ;
SELECT N IF (-1 DET) (-2 ("<+does>")) ;
SELECT ("poder"i cni p3) IF (-1 ("<¿>")) ;
# Nouns, and no verbs.
SELECT DET IF (0 DET) (1 N OR ADJ) (NOT 0 (pro) OR (preadv) OR (adv)) ;
REMOVE V IF (-1C DET) (0 N OR ADJ) ;
REMOVE ("apenar") ;
REMOVE (ifi p1 pl) IF (0 (pri p1 pl)) (NEGATE 0* ("<ayer>"i) OR ("<anoche>"i) OR ("<pasado>") OR ("<pasada>") OR ("<hace>"i)) ;
SELECT ("marchar"i ifi) IF (0 ("ser"i)) ;
SELECT ("ir"i ifi) IF (0 ("ser"i)) (1 ("<a>") OR ("<al>")) ;
SELECT (vbser) IF (0 (vbser)) (0 ("ir"i)) (1 (pp) OR DET OR ADJ OR ("<el>")) ;
SELECT N IF (0 N) (0 V) (1 ("de" pr) OR ("<del>") OR ("previo" adj)) (-1 START OR DET OR ADJ OR (pr) OR (sent)) ;
REMOVE V - (inf) IF (0 N) (-1 (pr)) ;
REMOVE ("sentar") IF (0 ("sentir")) ;
REMOVE ("vestir"i) OR ("vestirse"i) IF (0 ("ver"i)) ;
SELECT (vblex pri p1 sg) IF (-1 START) (0 N) (1 ("<en>") OR ("<con>") OR ("<para>")) (2 DET) (NEGATE 1* (pri) OR (ifi) OR (pii) OR (fti)) ;
SELECT (vblex pri p1 sg) IF (-1 START) (0 ("estudiar"i)) (1 ("<español>") OR ("<inglés>") OR ("<francés>") OR ("<alemán>")) ;
SELECT CLITIC IF (0 ("<lo>"i) OR ("<la>"i) OR ("<los>"i) OR ("<las>"i)) (-1 ("<¿>")) (1C V) ;
SELECT (pp) IF (-1 (vbhaver)) ;
SELECT (pp) IF (-1 ("<has>"i) OR ("<ha>"i) OR ("<han>"i)) ;
SELECT (pii p1) IF (0 ("haber"i)) (-1 ("<nunca>"i)) (-2 START) ;
REMCOHORT ("<al>") IF (-1 ("jugar"i)) (1 N) ;
SELECT ADJ IF (0 ("<abierto>") OR ("<abierta>") OR ("<abiertos>") OR ("<abiertas>")) (-1 ("estar"i)) ;
SELECT (pii p1) IF (-1 ("cuando=era=niño="i) OR ("cuando=era=niña="i)) ;
SELECT (adv) IF (0 ("<tarde>")) (-1 V) (1 (sent) OR (cm) OR (cnjcoo)) ;
SELECT N IF (0 ("<sentido>")) (-1 ("tener"i)) ;
# Open the door: requests.
SELECT (imp p3) IF (-1 BEGINS) (0 (imp p3)) (1 DET) (NOT 0 ("querer"i) OR ("ser"i) OR ("haber"i)) ;
SELECT (imp p3) IF (-1 BEGINS) (0 (imp p3)) (1 NEXT) (NOT 0 ("querer"i) OR ("ser"i) OR ("haber"i) OR N) ;
SELECT (imp p2) IF (-1 PLEASE OR (cm)) (-2 PLEASE OR START) (0 (imp p2)) ;
SELECT (imp p2) IF (-1 BEGINS) (0 ORDER) (1 NEXT) (NOT 0 (prs) OR N) ;
SELECT (vblex) IF (0 ("querer"i vbmod)) (NOT 1 (inf)) ;
# He asks the man: English has no preposition here.
REMCOHORT ("<de>") IF (-1 ("deber"i)) (1 (inf)) ;
REMCOHORT ("<a>") IF (-1 ("responder"i)) (1 DET) (2 ("pregunta")) ;
REMCOHORT ("<a>") IF (-1 TRANSITIVE) (1 DET OR (np) OR (prn tn)) (NOT 2 (num) OR ("<una>")) ;
# Reflexive verbs that are not reflexive in English, or are other verbs.
SUBSTITUTE ("levantar"i) ("levantarse=") (vblex) IF (-1 ("<me>"i) OR ("<te>"i) OR ("<se>"i) OR ("<nos>"i)) ;
SUBSTITUTE ("despertar"i) ("despertarse=") (vblex) IF (-1 ("<me>"i) OR ("<te>"i) OR ("<se>"i) OR ("<nos>"i)) ;
SUBSTITUTE ("sentar"i) ("sentarse=") (vblex) IF (-1 ("<me>"i) OR ("<te>"i) OR ("<se>"i) OR ("<nos>"i)) ;
SUBSTITUTE ("ir"i) ("marchar") ("ir"i) IF (0 (ifi p3)) (-1 ("<se>"i)) ;
REMCOHORT ("<me>"i) IF (1 REFLEXIVE) (1 (p1 sg)) ;
REMCOHORT ("<te>"i) IF (1 REFLEXIVE) (1 (p2 sg)) ;
REMCOHORT ("<nos>"i) IF (1 REFLEXIVE) (1 (p1 pl)) ;
REMCOHORT ("<se>"i) IF (1 REFLEXIVE) (1 (p3)) ;
`;

/** Constructions that English expresses differently. A lemma with `*` is unknown to the dictionary and passes through. */
export const PHRASES = String.raw`
SUBSTITUTE (".*"r pr) ("*acuerdo") ("<de>"i) IF (-1 BEGINS) (1 ("<acuerdo>")) (2 (cm) OR (sent)) ;
REMCOHORT ("<acuerdo>") IF (-1 ("*acuerdo")) ;
SUBSTITUTE (".*"r n f pl) ("*tardes") ("<tardes>") IF (-1 ("<buenas>"i)) ;
SUBSTITUTE (".*"r n f pl) ("*noches") ("<noches>") IF (-1 ("<buenas>"i)) ;
SUBSTITUTE (".*"r adj m f mf sg pl) ("*buenas") ("<buenas>"i) IF (1 ("*tardes") OR ("*noches")) ;
# At nine, in the morning.
SUBSTITUTE (".*"r pr) ("at=" adv itg) ("<a>"i) IF (1 ("<las>") OR ("<la>")) (2 (num) OR HOUR) ;
REMCOHORT ("<las>") OR ("<la>") IF (-1 ("at=")) ;
SUBSTITUTE (".*"r pr) ("en" pr) ("<por>"i) IF (1 ("<la>")) (2 ("<mañana>") OR ("<tarde>") OR ("<noche>")) ;
# I have not finished yet, I do not smoke any more, for two days.
ADDCOHORT ("<+yet>" "yet=" adv itg) BEFORE (sent) OR (cm) IF (-1* ("<todavía>"i) OR ("<aún>"i) BARRIER (sent) OR (cm) LINK 1 NO) ;
REMCOHORT ("<todavía>"i) OR ("<aún>"i) IF (1 NO) ;
ADDCOHORT ("<+anymore>" "anymore=" adv itg) BEFORE (sent) OR (cm) IF (-1* ("<ya>"i) BARRIER (sent) OR (cm) LINK 1 NO) ;
REMCOHORT ("<ya>"i) IF (1 NO) ;
# He came on Tuesday, until Monday.
APPEND ("on=" adv itg) ("<el>") IF (1 DAY) (-1 V) ;
SELECT ("on=") ;
REMCOHORT ("<el>") IF (-1 ("<hasta>") OR ("<desde>")) (1 DAY) ;
# That makes me happy.
SUBSTITUTE ("hacer") ("make=") ("hacer" vblex) IF (-1 CLITIC) (1 ADJ) (NOT 1 COLD OR ("solo")) ;
SUBSTITUTE ("hacer" vblex) ("ser" vbser) ("<hace>") IF (1 (num) OR DET) (2 TIME) (3 ("<que>")) ;
SUBSTITUTE ("Hacer" vblex) ("Ser" vbser) ("<Hace>") IF (1 (num) OR DET) (2 TIME) (3 ("<que>")) ;
SELECT (vbser) IF (0 ("<hace>"i)) ;
SELECT (cnjsub) IF (-1 TIME) (-3 ("ser"i)) (0 ("<que>")) ;
SELECT (vblex pri p1) IF (-1 ("<que>")) (-2 TIME) (-4 ("ser"i)) ;
# Two years ago.
ADDCOHORT ("<+ago>" "ago=" adv itg) AFTER TIME IF (NOT -2 (vbser)) (-1 (num) OR DET OR ADJ) (NOT -1 ("<buen>") OR ("<mal>")) (-2 ("<hace>"i)) ;
REMCOHORT ("<hace>"i) IF (3 ("ago=")) ;
# Better than, bigger than; not all.
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("than=" adv itg) ("<que>") IF (-1 ADJ OR (adv)) (-2 ("<más>"i) OR ("<menos>"i)) (NOT 1 V) ;
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("than=" adv itg) ("<que>") IF (-1 ("<mejor>"i) OR ("<peor>"i) OR ("<mayor>"i) OR ("<menor>"i)) (NOT 1 V) ;
SUBSTITUTE (".*"r adv) ("not=" adv itg) ("<no>"i) IF (1 ("<todos>") OR ("<todas>") OR ("<solo>") OR ("<sólo>") OR ("<mucho>") OR ("<muy>")) ;
# It is three, half past.
SUBSTITUTE (pl) (sg) ("ser"i) IF (0 (p3 pl)) (1 ("<las>")) (2 HOURS OR HOUR) ;
REMCOHORT ("<las>") IF (-1 ("ser"i p3 sg)) (1 HOURS OR HOUR) ;
SUBSTITUTE (".*"r n f sg) ("*media") ("<media>") IF (-1 ("<y>")) (-2 HOURS OR HOUR) ;
REMCOHORT ("<y>") IF (1 ("*media")) ;
SUBSTITUTE (".*"r pr) ("desde" pr) ("<desde>"i) IF (1 HOURS) (NOT 0 ("desde=hace="i)) ;
# It is very cold.
SUBSTITUTE (".*"r vblex) ("ser" vbser) ("hacer") OR ("Hacer") IF (1 COLD) ;
SUBSTITUTE (".*"r vblex) ("ser" vbser) ("hacer") OR ("Hacer") IF (1 ("<mucho>")) (2 COLD) ;
SUBSTITUTE (".*"r adv det qnt m sg) ("muy" preadv) ("<mucho>") IF (1 COLD) (-1 ("ser"i)) ;
SUBSTITUTE (".*"r n m sg) ("calor=" adv) ("<calor>") IF (-1* ("ser"i) BARRIER N) ;
# There will be no elections.
ADDCOHORT ("<+ninguno>" "ninguno" det ind m sg) AFTER ("haber") IF (0 (fti p3 sg) OR (cni p3 sg)) (-1 NO) (1 N) ;
REMCOHORT NO IF (1 ("haber" vbhaver)) (2 ("<+ninguno>")) ;
# Where is the station, is this seat free, are there questions.
APPEND ("are=there=" adv) ("<hay>"i) IF (-1 ("<¿>")) (1 (pl)) ;
APPEND ("is=there=" adv) ("<hay>"i) IF (-1 ("<¿>")) (NOT 1 (pl)) ;
SELECT ("are=there=") OR ("is=there=") ;
SUBSTITUTE (".*"r vbser vblex pri p3 sg) ("is=" adv itg) ("ser") OR ("estar") IF (0 (pri p3 sg)) (-1 WHERE) (1 NOUN_PHRASE) ;
SUBSTITUTE (".*"r vbser vblex pri p3 sg) ("Is=" adv itg) ("Ser") OR ("Estar") IF (0 (pri p3 sg)) (-1 ("<¿>")) (1 NOUN_PHRASE OR ADJ) ;
SUBSTITUTE (".*"r vbser vblex pri p3 pl) ("are=" adv itg) ("ser") OR ("estar") IF (0 (pri p3 pl)) (-1 WHERE) (1 NOUN_PHRASE) ;
SUBSTITUTE (".*"r vbser vblex ifi pii p3 sg) ("was=" adv itg) ("ser") OR ("estar") IF (0 (p3 sg)) (-1 WHERE) (0 (ifi) OR (pii)) (1 NOUN_PHRASE) ;
# Where can I buy it, can we start.
SUBSTITUTE (".*"r vbmod vblex pri p1 sg pl) ("can=" adv itg) ("poder") IF (0 (pri p1)) (-1 (itg) OR ("<¿>")) (1 (inf) OR (enc)) ;
SUBSTITUTE (".*"r vbmod vblex pri p1 sg pl) ("Can=" adv itg) ("Poder") IF (0 (pri p1)) (-1 ("<¿>")) (1 (inf) OR (enc)) ;
ADDCOHORT ("<+yo>" "prpers" prn tn p1 mf sg) AFTER ("can="i) IF (0 ("<puedo>"i)) ;
ADDCOHORT ("<+nosotros>" "prpers" prn tn p1 m pl) AFTER ("can="i) IF (0 ("<podemos>"i)) ;
SUBSTITUTE (inf) (pri p1 sg) (vblex inf) IF (-1 ("<+yo>") OR ("<+nosotros>")) (-2 ("can="i)) ;
# I want you to come.
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("you=" adv itg) ("<que>") IF (-1 WISH) (1 (prs p2) OR (prs p3 pl)) ;
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("us=" adv itg) ("<que>") IF (-1 WISH) (1 (prs p1 pl)) ;
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("you=" adv itg) ("<que>") IF (-1 WISH) (1 CLITIC) (2 (prs p2) OR (prs p3 pl)) ;
SUBSTITUTE (prs p1 p2 p3 sg pl) (inf) (prs) IF (-1 ("you=") OR ("us=")) ;
SUBSTITUTE (prs p1 p2 p3 sg pl) (inf) (prs) IF (-1 CLITIC) (-2 ("you=")) ;
SELECT (inf) IF (-1 CLITIC) (-2 ("you=")) ;
MOVE CLITIC (-1 ("you=")) (1 (inf)) AFTER (1 (inf)) ;
ADDCOHORT ("<+to>" "to=" adv itg) BEFORE (inf) IF (-1 ("you=")) (NOT -1 ("<+to>")) (1 CLITIC) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") CLITIC IF (-1 (inf)) (-2 ("<+to>")) ;
SELECT (inf) IF (-1 ("<que>" "you=") OR ("<que>" "us=")) ;
ADDCOHORT ("<+to>" "to=" adv itg) BEFORE (inf) IF (-1 ("<que>" "you=") OR ("<que>" "us=")) ;
# She has just arrived.
SELECT (pri) IF (0 ("acabar"i)) (1 ("<de>")) (2 (inf)) ;
SUBSTITUTE ("acabar" vblex) ("haber" vbhaver) ("acabar" pri) IF (1 ("<de>")) (2 (inf)) ;
SUBSTITUTE ("Acabar" vblex) ("Haber" vbhaver) ("Acabar" pri) IF (1 ("<de>")) (2 (inf)) ;
SUBSTITUTE (".*"r pr) ("just=" adv itg) ("<de>") IF (-1 ("haber"i pri)) (1 (inf)) ;
SUBSTITUTE (inf) (pp m sg) (vblex inf) IF (-1 ("just=")) ;
SELECT (pp) IF (-1 ("just=")) ;
# Stop talking, leave the house.
REMCOHORT ("<de>") IF (-1 ("dejar"i)) (1 (inf)) ;
SUBSTITUTE (inf) (ger) (vblex inf) IF (-1 ("dejar"i)) ;
SELECT (ger) IF (-1 ("dejar"i)) ;
REMCOHORT ("<de>") IF (-1 ("salir"i)) (1 DET) (2 N) ;
# I know where the bathroom is.
MOVE ("is=") (-1 ("<dónde>")) (NOT -2 ("<¿>")) (1 DET) (2 N) (3 (sent)) AFTER (2 N) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") ("is=") IF (-1 N) (-3 ("<dónde>")) ;
# Does anyone have a question.
ADDCOHORT ("<+does>" "Does=" adv itg) BEFORE ("<Alguien>") IF (-1 ("<¿>")) (1 (vblex pri p3 sg)) ;
SUBSTITUTE ("Alguien") ("alguien") ("<Alguien>") IF (-1 ("<+does>")) ;
SUBSTITUTE (pri p3 sg) (imp p2 sg) (pri) IF (-1 ("alguien")) (-2 ("<+does>")) ;
SELECT (imp p2 sg) IF (-1 ("alguien")) (-2 ("<+does>")) ;
# People leave, nothing to say.
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("to=" adv itg) ("<que>") IF (-1 ("<nada>") OR ("<algo>") OR ("<mucho>")) (1 (inf)) ;
SUBSTITUTE (sg) (pl) (p3) IF (0 V) (-1 ("<gente>")) (NOT -2 ("<una>") OR ("<de>")) ;
SUBSTITUTE (sg) (pl) (p3) IF (0 V) (-1 NO) (-2 ("<gente>")) (-3 ("<la>"i)) ;
# If I had time, I would tell you.
ADDCOHORT ("<+yo>" "prpers" prn tn p1 mf sg) BEFORE CLITIC IF (1 (cni p1)) (-1 (cm)) (-1* (pis p1)) ;
SELECT (cni p1) IF (-2 ("<+yo>")) (-1 CLITIC) ;
# I forgot to call you.
ADDCOHORT ("<+to>" "to=" adv itg) BEFORE (inf) OR (enc) IF (-1 ("se=me=olvidó="i) OR ("se=me=ha=olvidado="i)) ;
# How kind.
SUBSTITUTE (".*"r det itg mf sp prn adv) ("how=" adv itg) ("<Qué>") IF (-1 ("<¡>")) (1 ADJ) (2 (sent)) ;
# What a beautiful day.
ADDCOHORT ("<+un>" "uno" det ind m sg) AFTER ("qué"i) IF (-1 ("<¡>")) (1 (n sg)) (NOT 0 ("how=")) ;
REMCOHORT ("<tan>") OR ("<más>") IF (-1 N) (-2 ("<+un>")) (-4 ("<¡>")) (1 ADJ) ;
# What to do.
# You should rest, I am tired of waiting, are you sure that it is late.
APPEND ("deberías=" adv) ("<deberías>") IF (-1 ("<que>") OR ("<si>")) ;
APPEND ("deberíamos=" adv) ("<deberíamos>") IF (-1 ("<que>") OR ("<si>")) ;
APPEND ("should=" adv) ("<debería>") OR ("<deberían>") OR ("<deberías>") OR ("<deberíamos>") IF (-1 N OR NAME OR ADJ OR (prn tn)) (1 (inf)) ;
SELECT SHOULD ;
SUBSTITUTE (".*"r) ("be=" adv itg) ("ser" inf) OR ("estar" inf) IF (-1 SHOULD) ;
SUBSTITUTE (inf) (imp p2 sg) (vblex inf) IF (-1 SHOULD) ;
SUBSTITUTE (inf) (ger) (vblex inf) IF (-1 ("<de>")) (-2 ("cansado") OR ("harto")) ;
SELECT (ger) IF (-1 ("<de>")) (-2 ("cansado") OR ("harto")) ;
SUBSTITUTE ("Seguro=que=") ("surely=") ("Seguro=que=") IF (NOT -1 ("<¿>")) (NEGATE 1* ("<?>")) ;
# I like coffee, allergic to nuts.
REMCOHORT DET IF (-1 LIKED OR ("a=todo=el=mundo=le=gusta="i) OR ("a=todo=el=mundo=le=gustan="i)) (1 GENERAL) (2 (sent) OR (cm)) ;
REMCOHORT DET IF (-1 ("<a>")) (-2 ("alérgico")) (1 N) ;
# He told me to rest, I usually have lunch there, both of them, ten minutes on foot, I do not think that it is true.
SUBSTITUTE (".*"r cnjsub cnjcoo cnjadv rel an mf sp) ("to=" adv itg) ("<que>") IF (-1 ("decir"i)) (-2 CLITIC) (1 (pis) OR (prs)) (NOT 1 (pri) OR (ifi) OR (pii)) ;
SUBSTITUTE (prs pis p1 p2 p3 sg pl) (inf) (vblex) IF (-1 ("<que>" "to=")) ;
SELECT (inf) IF (-1 ("<que>" "to=")) ;
SUBSTITUTE (inf) (imp p2 sg) (vblex inf) IF (-1 ("permítanme="i) OR ("permítame="i)) ;
SUBSTITUTE (inf) (imp p2 sg) (vblex inf) IF (-1 ("cuánto=tiempo=se=tarda=en="i) OR ("cuánto=se=tarda=en="i) OR ("me=alegro=de="i)) ;
SUBSTITUTE (".*"r) ("both=" adv itg) ("<tanto>") IF (1 DET) (2 N) (3 ("<como>")) ;
SUBSTITUTE (".*"r) ("Both=" adv itg) ("<Tanto>") IF (1 DET) (2 N) (3 ("<como>")) ;
SUBSTITUTE (".*"r) ("and=" adv itg) ("<como>") IF (-3 ("both="i)) ;
REMCOHORT ("<a>") IF (-1 ("estar"i)) (1 (num)) (2 TIME) ;
SUBSTITUTE (prs p3 sg) (pri p3 sg) ("ser" vbser prs) IF (-1 ("<que>")) (-2* NO BARRIER V LINK 1 ("creer")) ;
# Can you lend me money.
MOVE CLITIC (-1 ("<¿>")) (1 ("poder" p2) OR ("poder" p3)) (2 (inf)) AFTER (2 (inf)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") CLITIC IF (-1 (inf)) (-2 ("poder" p2) OR ("poder" p3)) (-3 ("<¿>")) ;
SUBSTITUTE ("ø<s>+Prpers") ("ø<s>+prpers") CLITIC IF (-1 (inf)) ;
# Her name is.
SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("her=name=" adv) ("<se>"i) IF (1 ("<llama>")) (2 (np ant f)) (-1 BEGINS) ;
SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("his=name=" adv) ("<se>"i) IF (1 ("<llama>")) (2 (np ant m)) (-1 BEGINS) ;
APPEND ("is=called=" adv) ("<se>") IF (1 ("<llama>")) (-1 N OR NAME OR ADJ) ;
SELECT ("is=called=") ;
REMCOHORT ("<llama>") IF (-1 ("is=called=") OR ("her=name=") OR ("his=name=")) ;
ADDCOHORT ("<+to>" "to=" adv itg) BEFORE (inf) IF (-1 ("<qué>") OR ("<cómo>") OR ("<dónde>")) ;
# If I had money, I would buy it.
SELECT (pis p1) IF (0 PERSONAL OR ("poder")) (-1 ("<si>"i)) ;
SELECT (cni p1) IF (0 PERSONAL OR ("poder")) (-1 (cm)) (-1* (pis p1)) ;
ADDCOHORT ("<+yo>" "prpers" prn tn p1 mf sg) BEFORE (pis) IF (0C (p1 sg)) (-1 ("<si>"i)) ;
ADDCOHORT ("<+yo>" "prpers" prn tn p1 mf sg) BEFORE (cni) IF (0C (p1 sg)) (-1 (cm)) ;
# You are right, I am thirsty.
SUBSTITUTE ("tener" vblex) ("ser" vbser) ("tener") IF (1 STATE) ;
SUBSTITUTE ("Tener" vblex) ("Ser" vbser) ("Tener") IF (1 STATE) ;
${entriesOf(STATES)
  .map(([noun]) => `SUBSTITUTE (".*"r n m f sg) ("${noun}=" adv) ("<${noun}>") IF (-1 ("ser"i)) ;`)
  .join('\n')}
# It is true.
SUBSTITUTE (".*"r n f sg) ("verdadero" adj f sg) ("<verdad>") IF (-1 ("ser"i)) ;
# You can pay by card.
SUBSTITUTE (p3 pl) (p2 sg) ("Poder") IF (0 (pri p3 pl)) (-1 START) (1 (inf)) (NOT 1 ("ser") OR ("haber") OR ("estar")) ;
SUBSTITUTE (p3 sg) (p2 sg) ("Poder") IF (0 (pri p3 sg)) (-1 START) (1 (inf)) (NOT 1 ("ser") OR ("haber") OR ("llover") OR ("estar")) ;
SUBSTITUTE (p3 sg) (p2 sg) ("poder") IF (0 (pri p3 sg)) (-1 ("<se>"i)) (-2 BEGINS OR NO) (1 (inf)) ;
SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("prpers" prn tn p2 mf sg) ("<se>") IF (1 ("poder" pri p2 sg)) (NOT -1 NO) ;
SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("Prpers" prn tn p2 mf sg) ("<Se>") IF (1 ("poder" pri p2 sg)) ;
REMCOHORT ("<se>") IF (1 ("poder" pri p2 sg)) (-1 NO) ;
# Mary likes to dance.
REMCOHORT ("<A>") IF (1 NAME) (2 ("<le>") OR ("<les>")) (3 LIKES) ;
REMCOHORT ("<A>") IF (1 DET) (2 N) (3 ("<le>") OR ("<les>")) (4 LIKES) ;
REMCOHORT ("<le>") OR ("<les>") IF (1 LIKES) (-1 NAME OR N) ;
# I have been here for ten years.
${['p1 sg', 'p2 sg', 'p3 sg', 'p1 pl', 'p3 pl']
  .flatMap((person) => [
    `ADDCOHORT ("<+haber>" "haber" vbhaver pri ${person}) BEFORE ("llevar"i) IF (0 (pri ${person})) (1 HOURS) (2 TIME) (3 (ger)) ;`,
  ])
  .join('\n')}
SUBSTITUTE (".*"r pri imp p1 p2 p3 sg pl) ("pasar" pp m sg) ("llevar"i) IF (-1 ("<+haber>")) ;
# Sign in, sign out.
SUBSTITUTE (".*"r n f sg) ("in=" adv itg) ("<sesión>") IF (-1 ("iniciar"i)) ;
SUBSTITUTE (".*"r n f sg) ("out=" adv itg) ("<sesión>") IF (-1 ("cerrar"i)) ;
# Could not find it.
REMCOHORT ("poder") IF (0 (ifi p3 sg)) (-1 ("<se>")) (-2 ("<No>")) (-3 BEGINS) (1 (inf)) ;
SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("not=" adv itg) ("<se>") IF (-1 ("<No>")) (-2 BEGINS) (1 (inf)) ;
SUBSTITUTE (inf) (imp p2 sg) (vblex inf) IF (-1 ("<se>" "not=")) ;
SUBSTITUTE (".*"r adv) ("Could=" adv itg) ("<No>") IF (1 ("<se>" "not=")) ;
# We met.
REMCOHORT ("<nos>"i) IF (1 ("conocer" ifi p1 pl)) ;
# From nine to five.
SUBSTITUTE (".*"r pr) ("desde" pr) ("<de>"i) IF (1 HOURS OR HOUR) (2 ("<a>")) (3 HOURS OR HOUR) ;
# I have never been there.
ADDCOHORT ("<+never>" "never=" adv itg) AFTER ("haber") IF (0 (vbhaver pri) OR (vbhaver pii)) (-1 ("<nunca>"i)) (1 (pp)) ;
REMCOHORT ("<nunca>"i) IF (1 ("haber" vbhaver)) (2 ("<+never>")) ;
# Do not forget.
SUBSTITUTE (prs p2 sg) (imp p2 sg) (vblex prs p2 sg) IF (-1 NO) (-2 BEGINS) ;
SUBSTITUTE (prs p2 sg) (imp p2 sg) (vblex prs p2 sg) IF (-1 CLITIC) (-2 NO) (-3 BEGINS) ;
REMCOHORT ("<te>") IF (1 (imp p2 sg)) (-1 NO) (1 REFLEXIVE) ;
# I am a doctor.
ADDCOHORT ("<+un>" "uno" det ind m sg) AFTER ("ser"i) IF (0 (sg)) (0 (p1) OR (p2) OR (p3)) (1 PROFESSION) ;
SUBSTITUTE (adj) (n) PROFESSION IF (-1 ("<+un>")) ;
# How do you say that.
SUBSTITUTE (".*"r prn pro ref p3 mf sp) ("do=" adv itg) ("<se>") IF (-1 ("<cómo>"i)) (1 (vblex pri p3)) ;
ADDCOHORT ("<+tú>" "prpers" prn tn p2 mf sg) AFTER ("do=") IF (0 ("<se>")) ;
SUBSTITUTE (p3 sg) (p2 sg) (pri) IF (0 (p3 sg)) (-1 ("<+tú>")) (-2 ("<se>" "do=")) ;
SUBSTITUTE (p3 pl) (p2 sg) (pri) IF (0 (p3 pl)) (-1 ("<+tú>")) (-2 ("<se>" "do=")) ;
# My name is.
SUBSTITUTE (".*"r vblex pri p1 sg) ("*llamo") ("<llamo>") IF (-1 ("<me>"i)) ;
SUBSTITUTE (".*"r prn pro ref p1 mf sg) ("*me") ("<me>"i) IF (1 ("*llamo")) ;
SUBSTITUTE (".*"r vblex pri p2 sg) ("*llamas") ("<llamas>") IF (-1 ("<te>")) (-2 ("<cómo>"i)) ;
SUBSTITUTE (".*"r prn pro ref p2 mf sg) ("*te") ("<te>") IF (1 ("*llamas")) ;
SUBSTITUTE (".*"r adv itg) ("*cómo") ("<cómo>"i) IF (1 ("*te")) ;
`;
