/**
 * Rules of the source grammar from English to Spanish that are written out: rearranged sentences, and readings chosen
 * in their context. The sets are those of `spanish-grammars.ts`.
 */
import {
  ANY_PRONOUN,
  INDIRECT_QUESTIONS,
  LEFT_OUT_PRONOUNS,
  NO_QUESTION_READINGS,
  QUESTION_READINGS,
  THERE_QUESTIONS,
  THING_QUESTIONS,
} from './spanish-clauses.ts';

/** The analyser's multiwords that are none: they live on the second floor, he comes from Sweden, the water is cold. */
export const SPLITS = String.raw`SPLITCOHORT ("<in>" "in" pr "<the>" "ø<s>+the" det def sp "<main>" "ø<s>+main" adj) ("<in the main>") IF (1 N) ;
SPLITCOHORT ("<bus>" "bus" n sg "<stops>" "ø<s>+stop" vblex pri p3 sg) ("<bus stops>") IF (-1 (det)) (1 ("<here>") OR ("<at>") OR ("<in>") OR ("<near>")) (NEGATE 1* FINITE OR (vblex pri)) ;
SELECT OBJECT IF (0 ("<her>")) (-1 V) (1 ("<last>") OR ("<next>")) (2 ("<night>") OR ("<week>") OR ("<month>") OR ("<year>") OR SEASON OR MONTH) (3 (sent) OR (cm)) ;
SPLITCOHORT ("<come>" "come" vblex pres "<from>" "ø<s>+from" pr) ("<come from>") ;
SPLITCOHORT ("<comes>" "come" vblex pri p3 sg "<from>" "ø<s>+from" pr) ("<comes from>") ;
SPLITCOHORT ("<came>" "come" vblex past "<from>" "ø<s>+from" pr) ("<came from>") ;
SPLITCOHORT ("<is>" "be" vbser pri p3 sg "<cold>" "ø<s>+cold" adj sint) ("<is cold>") IF (NOT -1 (prn subj) - (nt)) ;
SPLITCOHORT ("<are>" "be" vbser pres "<cold>" "ø<s>+cold" adj sint) ("<are cold>") IF (NOT -1 (prn subj) - (nt)) ;
SPLITCOHORT ("<was>" "be" vbser past p3 sg "<cold>" "ø<s>+cold" adj sint) ("<was cold>") IF (NOT -1 (prn subj) - (nt)) ;
SPLITCOHORT ("<were>" "be" vbser past "<cold>" "ø<s>+cold" adj sint) ("<were cold>") IF (NOT -1 (prn subj) - (nt)) ;
`;

/** Constructions that Spanish expresses differently. A lemma with `*` is unknown to the dictionary and passes through. */
export const PHRASES = String.raw`
# Let's go, let us begin, let me explain.
SUBSTITUTE (".*"r vblex inf pres past pp) ("*let's") ("<let>"i) IF (1 ("<'s>"i) OR ("<us>"i)) (2 V) ;
REMCOHORT ("<'s>") OR ("<us>") IF (-1 ("*let's")) ;
SUBSTITUTE (".*"r prn obj p1 mf sg) ("*let me") ("<me>") IF (-1 ("<let>"i)) (1 V) (-2 START OR (cm) OR PLEASE) ;
REMCOHORT ("<let>"i) IF (1 ("*let me")) ;
# See you tomorrow.
SUBSTITUTE (".*"r vblex inf pres) ("*see you") ("<see>"i) IF (-1 START) (1 ("<you>")) (2 (adv) OR N) ;
REMCOHORT ("<you>") IF (-1 ("*see you")) ;
# Good afternoon, good evening.
SUBSTITUTE (".*"r n sg) ("*good day") ("<afternoon>"i) OR ("<evening>"i) IF (-1 ("<good>"i)) ;
REMCOHORT ("<good>"i) IF (1 ("*good day")) ;
# He saw me, I told you: the transfer rules make the verb agree with such an object, unless an auxiliary precedes it.
# The subject pronoun becomes that auxiliary, because a blank follows it, and a second pronoun is added before it.
REMOVE ("saw" vblex) ;
ADDCOHORT ("<+did>" "do" vbdo past) BEFORE (past) IF (0 V) (-1 N OR NAME) (1 SPOKEN_TO) (NOT 0 (pp)) (NOT 0 JOINED) ;
ADDCOHORT ("<+did>" "do" vbdo past) BEFORE (past) IF (0 V) (-1C N OR NAME) (1 SPOKEN_TO) (NOT 0 JOINED) ;
SELECT (rel) IF (0 THAT) (-1 N) (1 (vblex past)) (2 SPOKEN_TO) ;
ADDCOHORT ("<+did>" "do" vbdo past) BEFORE (past) IF (0 V) (-1C (rel)) (1 SPOKEN_TO) (NOT 0 JOINED) ;
ADDCOHORT ("<+did>" "do" vbdo past) BEFORE (past) IF (0 V) (-1 ("<who>"i) OR ("<nobody>"i) OR ("<everybody>"i) OR ("<everyone>"i) OR ("<somebody>"i) OR ("<someone>"i)) (1 SPOKEN_TO) (NOT 0 JOINED) ;
ADDCOHORT ("<+do>" "do" vbdo pres) BEFORE (vblex pres) IF (-1 (n pl)) (NOT 0 N) (1 SPOKEN_TO) (NOT -2 (vaux) OR (vbdo)) (NOT 0 JOINED) ;
ADDCOHORT ("<+do>" "do" vbdo pres) BEFORE (vblex pres) IF (-1 (n pl)) (1 ("<me>") OR ("<us>")) (NOT -2 (vaux) OR (vbdo)) (NOT -1 ("<+do>")) (NOT 0 JOINED) ;
ADDCOHORT ("<+does>" "do" vbdo pri p3 sg) BEFORE (pri) IF (0 V) (-1 N OR NAME) (NOT 0 N) (1 SPOKEN_TO) (NOT 0 JOINED) ;
ADDCOHORT ("<+does>" "do" vbdo pri p3 sg) BEFORE (pri) IF (0 V) (-1 THIS OR ("<that>"i)) (-2 START) (NOT 0 N) (1 SPOKEN_TO) (NOT 2 V) (NOT 0 JOINED) ;
ADDCOHORT ("<+does>" "do" vbdo pri p3 sg) BEFORE (pri) IF (0 V) (-1 OFTEN) (-2 (prn subj)) (1 SPOKEN_TO) (NOT 0 JOINED) ;
ADDCOHORT ("<+did>" "do" vbdo past) BEFORE (past) IF (0 V) (-1 OFTEN) (-2 (prn subj)) (1 SPOKEN_TO) (NOT 0 JOINED) ;
ADDCOHORT ("<+do>" "do" vbdo pres) BEFORE (vblex pres) IF (-1 OFTEN) (-2 (prn subj)) (1 SPOKEN_TO) (NOT 0 JOINED) ;
SELECT (obj) IF (0 ("<you>")) (-1 ("make") OR ("let")) (1 INF OR ADJ) ;
SELECT INF IF (-1 OBJECT) (-2 ("make"i) OR ("let"i) OR ("see"i) OR ("hear"i) OR ("help"i)) ;
ADDCOHORT ("<+does>" "do" vbdo pri p3 sg) BEFORE ("make") OR ("let") IF (0 (pri)) (-1 THIS OR ("<that>"i) OR ("<it>"i)) (-2 BEGINS) (1 SPOKEN_TO) (NOT 0 JOINED) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") V IF (-1 ("<+do>") OR ("<+did>") OR ("<+does>")) ;
# I like this book, I think that you are right: undo the analyser's multiwords "like this" and "think that".
SPLITCOHORT ("<like>" "like" vblex pres "<this>" "ø<s>+this" det dem sg) ("<like this>") IF (-1 (prn subj)) (1 N) ;
SUBSTITUTE ("think# that") ("think") ("think# that") IF (1 (prn) OR DET OR THIS OR N OR NAME) ;
# Learn to cook.
SUBSTITUTE ("to") ("at") ("to" pr) IF (-1 LEARNS) (1 INF) ;
SUBSTITUTE ("to") ("of") ("to" pr) IF (-1 ("way" n)) (1 INF) ;
SELECT INF IF (-1 ("of" pr)) (-2 ("way" n)) ;
SELECT INF IF (-1 ("at" pr)) (-2 LEARNS) ;
ADDCOHORT ("<+to>" "at" pr) BEFORE INF IF (-1 OBJECT) (-2 ("help"i vblex)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") INF IF (-1 ("<+to>")) (-2 OBJECT) (-3 ("help"i vblex)) ;
SELECT INF IF (-1 ("<+to>")) (-2 OBJECT) ;
SELECT OBJECT IF (1 ("<+to>")) (-1 ("help"i vblex)) ;
${THING_QUESTIONS}REMCOHORT ("<a>") OR ("<an>") IF (-1 ("be"i) OR ("become"i)) (1 PROFESSION) (2 (sent) OR (cm) OR (cnjcoo)) ;
REMCOHORT ("<one>") OR ("<ones>") IF (-1 ADJ) (-2 DET) ;
# I saw the man, we love our teachers: an object that is a person.
ADDCOHORT ("<+to>" "to" pr) BEFORE KNOWN - ("ø.*"r) IF (1 PERSON) (NOT 2 N OR (gen)) (-1 V - NO_PERSON) (-1C V OR AUXILIARY) ;
ADDCOHORT ("<+to>" "to" pr) BEFORE KNOWN - ("ø.*"r) IF (1 PERSON) (NOT 2 N OR (gen)) (-1 V - NO_PERSON) (-2 (prn subj) OR (vaux) OR (vbdo) OR ("to") OR BEGINS) (NOT -1 ("<+to>")) ;
ADDCOHORT ("<+to>" "to" pr) BEFORE KNOWN - ("ø.*"r) IF (1 ADJ) (2 PERSON) (NOT 3 N OR (gen)) (-1 V - NO_PERSON) (-2 (prn subj) OR (vaux) OR (vbdo) OR ("to") OR BEGINS) (NOT -1 ("<+to>")) ;
ADDCOHORT ("<+to>" "to" pr) BEFORE KNOWN - ("ø.*"r) IF (1 PERSON) (NOT 2 N OR (gen)) (-1 FORBIDDEN) ;
ADDCOHORT ("<+to>" "to" pr) BEFORE DET IF (-1 ("attend" vblex)) (1 N OR ADJ) (NOT -1 ("<+to>")) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") DET IF (-1 ("<+to>")) ;
# Don't worry, be happy.
APPEND ("be=so=" adv) ("<be>") IF (-1 START OR PLEASE OR (cm)) (NOT 1 ("able")) (1 ADJ OR (preadv)) (NOT 1 (pp)) ;
APPEND ("Be=so=" adv) ("<Be>") IF (-1 START) (NOT 1 ("able")) (1 ADJ OR (preadv)) (NOT 1 (pp)) ;
SELECT ("be=so="i) ;
# She made me laugh, stop talking, I forgot to call, our goal is to win, what to do.
SUBSTITUTE (ger) (inf) (ger) IF (-1 ("stop"i vblex)) ;
SELECT INF IF (-1 ("<to>")) (-2 WITHOUT_TO OR (vbser)) ;
SELECT INF OR (vbser inf) IF (-1 ("stop"i vblex)) ;
ADDCOHORT ("<+of>" "of" pr) BEFORE INF IF (-1 ("stop"i vblex)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") INF IF (-1 ("<+of>")) ;
REMCOHORT ("<to>") IF (1 INF) (-1 WITHOUT_TO) ;
REMCOHORT ("<to>") IF (1 INF) (-1 (vbser)) (-2 N OR (".*=thing="r)) ;
${INDIRECT_QUESTIONS}# It has been a long day, this is the first time I have been here, it needs to be done, I saw that film.
SUBSTITUTE (".*"r vbser pri p3 sg) ("have" vbhaver pri p3 sg) ("<'s>") IF (1 ("<been>") OR ("<had>") OR ("<got>") OR ("<become>")) ;
REMOVE (gen) IF (0 ("<'s>")) (1 ("<been>") OR ("<had>") OR ("<got>")) ;
ADDCOHORT ("<+that>" "that" rel an mf sp) BEFORE (prn subj) IF (-1 ("<time>")) (-2 (ord)) (1 (vbhaver) OR FINITE_VERB) ;
SELECT (vblex pri) IF (0 ("<needs>") OR ("<wants>") OR ("<has>")) (-1 (n sg)) (1 ("<to>")) ;
SELECT (det dem) IF (0 THAT) (-1C V) (1 (n sg)) (NOT 1 (n pl) OR MASS OR NAME OR V OR ADJ OR (adv) OR (vaux) OR (ger)) (NOT 2 FINITE OR FINITE_VERB) ;
# What she said, with what he has.
APPEND ("*what") ("<what>") IF (1 (prn subj)) (NOT -1 START OR (cm)) ;
SELECT ("*what") ;
SELECT (prn itg) IF (0 ("<what>"i)) (1C INF) ;
${LEFT_OUT_PRONOUNS}# She was tired: a state.
SELECT ADJ IF (0 LASTING) (-1 (vbser)) (NOT 1 (pr) OR OBJECT) ;
# Before the film starts.
SUBSTITUTE (pri p3 sg) (prs p3 sg) (pri) IF (-1 (n sg)) (-2 DET) (-3 ("<before>"i)) (1 (sent) OR (cm) OR (pr) OR DET) ;
SELECT (prs) IF (-3 ("<before>"i)) (-1 N) ;
SUBSTITUTE (pri p3 sg) (prs p3 sg) (pri) IF (-1 (prn subj)) (-2 ("<before>"i) OR ("<until>"i)) ;
SUBSTITUTE (pri p3 sg) (prs p3 sg) (vblex pri) IF (-1 (prn subj)) (-2 WHEN) (NOT 1 (pp)) (1* FUTURE BARRIER (sent)) ;
SUBSTITUTE (pri p3 sg) (prs p3 sg) (vblex pri) IF (-1 (prn subj)) (-2 WHEN) (NOT 1 (pp)) (-3* FUTURE BARRIER (sent)) ;
REMCOHORT ("<it>" subj) IF (1 (prs)) (-1 ("<before>"i) OR ("<until>"i)) ;
REMCOHORT ("<I>") OR ("<you>") OR ("<we>") IF (1 (prs)) (-1 ("<before>"i) OR ("<until>"i) OR WHEN) ;
SELECT (prs) IF (-1 ("<before>"i) OR ("<until>"i)) ;
SELECT (cnjadv) IF (0 ("before"i) OR ("until"i) OR WHEN) (1 (prs)) ;
SELECT (prs) IF (-1 WHEN) ;
SELECT (prs) IF (-2 ("<before>"i) OR ("<until>"i) OR WHEN) (-1 (prn subj)) ;
# I am afraid that it is late, since we were children.
APPEND ("fear=that=" adv) ("<I>") IF (1 (vbser)) (2 ("<afraid>")) (3 (prn subj) OR DET OR THIS OR NAME OR (cnjsub) OR (".*=.*"r)) ;
SELECT ("fear=that=") ;
REMCOHORT (vbser) OR ("<that>") IF (-1 ("fear=that=")) ;
REMCOHORT ("<afraid>") IF (-1 ("fear=that=")) ;
APPEND ("since=that=" adv) ("<since>") IF (1 (prn subj)) ;
SELECT ("since=that=") ;
# I go to work, I am used to it, I am waiting for you.
APPEND ("to=work=" adv) ("<to>") IF (1 ("<work>")) (-1 ("go") OR ("come") OR ("drive") OR ("walk") OR ("get") OR ("return") OR ("cycle")) (NOT 2 ("<with>") OR ("<on>") OR ("<for>")) ;
APPEND ("to=school=" adv) ("<to>") IF (1 ("<school>")) (NOT 2 N) ;
APPEND ("to=bed=" adv) ("<to>") IF (1 ("<bed>")) (NOT 2 N) ;
APPEND ("accustomed=to=" adv) ("<used>") IF (-1 (vbser)) (1 ("<to>")) (2 (ger) OR OBJECT) ;
SELECT ("to=work=") OR ("to=school=") OR ("to=bed=") OR ("accustomed=to=") ;
REMCOHORT ("<work>") OR ("<school>") OR ("<bed>") IF (-1 ("to=work=") OR ("to=school=") OR ("to=bed=")) ;
REMCOHORT ("<to>") IF (-1 ("accustomed=to=")) ;
REMCOHORT ("<up>") IF (-1 ("hurry" vblex)) ;
SUBSTITUTE (".*"r pr) ("wait# for" vblex ger) ("<waiting for>"i) ;
# It is important to drink, it is too hot to work, they go swimming.
SELECT INF IF (-1 ("<to>")) (-2 ADJ) (-3 (vbser)) (-4 ("<it>"i)) (NOT 1 (sent)) ;
REMCOHORT ("<to>") IF (1C INF) (-1 ADJ) (-2 (vbser)) (-3 ("<it>"i)) ;
SUBSTITUTE ("to") ("in order to") ("to" pr) IF (1 INF) (-1 ADJ) (-2 ("too")) ;
ADDCOHORT ("<+to>" "at" pr) BEFORE (ger) IF (-1 ("go" vblex)) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") (ger) IF (-1 ("<+to>")) ;
SUBSTITUTE (ger) (inf) (ger) IF (-1 ("<+to>")) ;
SELECT INF IF (-1 ("<+to>")) (-2 ("go" vblex)) ;
# My wife and I went: we. Where are my shoes?
SUBSTITUTE (past) (past past-with-me) (past) IF (-1 ("<I>")) (-2 ("<and>")) (-3 N OR NAME OR (prn)) ;
SUBSTITUTE (pres) (pres pres-with-me) (pres) IF (-1 ("<I>")) (-2 ("<and>")) (-3 N OR NAME OR (prn)) ;
SUBSTITUTE (pres pres-with-me) (pri p1 pl) (pres-with-me) IF (NOT -4 (".*="r)) (NEGATE -3* FINITE OR (vblex pri) OR (cm)) ;
SUBSTITUTE (past past-with-me) (pii p1 pl) (past-with-me) IF (0 WERE) (NOT -4 (".*="r)) (NEGATE -3* FINITE OR (vblex pri) OR (cm)) ;
SUBSTITUTE (past past-with-me) (ifi p1 pl) (past-with-me) - AUXILIARY IF (NOT -4 (".*="r)) (NEGATE -3* FINITE OR (vblex pri) OR (cm)) ;
SUBSTITUTE (pres pres-with-me) (pri p1 sg) (pres-with-me) - AUXILIARY IF (NOT -3 (prn)) ;
SUBSTITUTE (past past-with-me) (ifi p1 sg) (past-with-me) - AUXILIARY IF (NOT -3 (prn)) ;
SUBSTITUTE (past past-with-me) (past) (past-with-me) ;
SUBSTITUTE (pres pres-with-me) (pres) (pres-with-me) ;
SUBSTITUTE (pres) (pri p3 pl) (vbser pres) IF (-1 ASKED) (1 NEAR) (2 (n pl)) ;
SUBSTITUTE (past) (pii p3 pl) WERE IF (-1 ASKED) (1 NEAR) (2 (n pl)) ;
# The meeting lasted for hours.
SELECT INF IF (-1 ("in order to")) (-3 ("too")) ;
SUBSTITUTE ("to") ("of") ("to" pr) IF (1 INF) (-1 ("had=.*"r)) ;
SELECT (past) IF (0 ("say")) (-1 N OR NAME) (NEGATE -1* FINITE) ;
SELECT (past) IF (0 INTRANSITIVE) (0 (pp)) (-1 N) (NEGATE -1* FINITE) (NEGATE 1* FINITE) ;
SELECT (past) IF (0 (pp)) (-1 N) (-2 DET OR ADJ) (1 AND) (2 (vblex past)) ;
ADDCOHORT ("<+that>" "that" rel an mf sp) BEFORE (prn subj) IF (-1 N - PERIOD) (-2 NUM) (1 FINITE_VERB OR (vbmod)) (NOT 0 (obj)) ;
# The most intelligent person I know.
ADDCOHORT ("<+that>" "that" rel an mf sp) BEFORE (prn subj) IF (-1 N - PERIOD) (-2 ADJ) (-3 ("<the most>"i) OR ("<the>"i)) (1 ("know") OR ("have") OR ("see") OR ("meet")) ;
# You look tired, the only way to get to the station, that does not make sense.
SUBSTITUTE ("look") ("seem") (vblex) IF (1 ADJ) (NOT 1 (adv) OR N) (-1 N OR (prn subj) OR (vaux) OR (vbdo)) ;
SUBSTITUTE ("look") ("seem") (vblex) IF (-1 ("<it>")) (-2 ("<as>") OR ("<than>")) ;
SUBSTITUTE ("get") ("arrive") ("get") IF (1 ("<to>")) (2 DET) (NOT 3 V) ;
SUBSTITUTE ("get") ("arrive") ("get") IF (1 ("<there>") OR ("<here>")) ;
SUBSTITUTE ("have") ("take") ("have") IF (1 ("<breakfast>")) ;
SUBSTITUTE ("make") ("have") (vblex) IF (1 ("<sense>")) ;
SUBSTITUTE ("make") ("take") (vblex) IF (1* ("<decision>") OR ("<decisions>") BARRIER V OR (pr) OR AND) ;
REMCOHORT ("<a>") IF (-1 ("have")) (1 ("<fever>") OR ("<headache>") OR ("<cough>")) ;
SUBSTITUTE ("make") ("have") (vblex) IF (1 ("<any>") OR ("<no>") OR ("<much>")) (2 ("<sense>")) ;
REMOVE V IF (0 ("<sense>")) (-1* ("<make>") OR ("<makes>") OR ("<made>") BARRIER (sent)) ;
# She works harder than he does, I cannot find it anywhere.
APPEND ("harder=" adv) ("<harder>") IF (-1 ("work") OR ("try") OR ("train") OR ("study") OR ("push") OR ("hit") OR ("play") OR ("rain") OR ("fight")) ;
APPEND ("faster=" adv) ("<faster>") IF (-1 V) (NOT 1 N) ;
APPEND ("anywhere=" adv) ("<anywhere>"i) ;
APPEND ("make=sure=" adv) ("make# sure"i) IF (-1 BEGINS) (1 DET OR THIS OR NAME OR (prn) OR (cnjsub)) ;
REMCOHORT ("<that>") IF (-1 ("make=sure="i)) ;
APPEND ("in=case=" adv) ("<in>"i) IF (1 ("<case>")) (2 (prn subj)) ;
REMCOHORT ("<case>") IF (-1 ("in=case="i)) ;
APPEND ("to=home=" adv) ("<home>") IF (-1 ("go") OR ("come") OR ("arrive") OR ("return") OR ("drive") OR ("walk") OR ("run") OR ("fly") OR ("get")) (NOT 1 N) ;
SUBSTITUTE ("get") ("arrive") ("get") IF (1 ("to=home=")) ;
APPEND ("to=left=" adv) ("<left>") IF (-1 ("turn"i) OR ("go"i) OR ("look"i) OR ("keep"i)) (NOT 1 N OR DET) ;
APPEND ("to=right=" adv) ("<right>") IF (-1 ("turn"i) OR ("keep"i)) (NOT 1 N OR DET OR ADJ) ;
APPEND ("from=home=" adv) ("<home>") IF (-1 ("leave")) (NOT 1 N) ;
SELECT ("from=home=") OR ("to=home=") OR ("to=left=") OR ("to=right=") OR ("harder=") OR ("faster=") OR ("anywhere="i) OR ("make=sure="i) OR ("in=case="i) ;
SUBSTITUTE ("to") ("in") ("to" pr) IF (1 INF) (-1* ("it=took=.*"ri) BARRIER V) ;
SELECT (obj) IF (-1 JOINED) (NOT 1 FINITE) ;
SELECT (obj) IF (0 ("<you>")) (-1 V) (-2 (prn subj) OR (vaux)) (1 ("<more>") OR ("<so>") OR ("<too>") OR (sent) OR (cm) OR ("<very>")) ;
# I feel like going out.
APPEND ("feel=like=" adv) ("<I>") IF (1 ("<feel>")) (2 ("<like>")) (3 (ger)) ;
APPEND ("don't=feel=like=" adv) ("<I>") IF (1 ("<don't>")) (2 ("<feel>")) (3 ("<like>")) (4 (ger)) ;
APPEND ("don't=feel=like=" adv) ("<I>") IF (1 ("<do>")) (2 ("<not>")) (3 ("<feel>")) (4 ("<like>")) (5 (ger)) ;
SELECT ("feel=like=") OR ("don't=feel=like=") ;
REMCOHORT ("<do>") OR ("<don't>") IF (-1 ("don't=feel=like=")) ;
REMCOHORT ("<not>") IF (-1 ("don't=feel=like=")) ;
REMCOHORT ("<feel>") IF (-1 ("don't=feel=like=") OR ("feel=like=")) ;
REMCOHORT ("<like>") IF (-1 ("don't=feel=like=") OR ("feel=like=")) ;
APPEND ("look=forward=to=doing=" adv) ("<I>") IF (1 ("<look forward to>")) (2 (ger)) ;
SELECT ("look=forward=to=doing=") ;
REMCOHORT ("<look forward to>") IF (-1 ("look=forward=to=doing=")) ;
SPLITCOHORT ("<live>" "live" vblex pres "<on>" "ø<s>+on" pr) ("<live on>") IF (1 DET) ;
SPLITCOHORT ("<lives>" "live" vblex pri p3 sg "<on>" "ø<s>+on" pr) ("<lives on>") IF (1 DET) ;
SPLITCOHORT ("<lived>" "live" vblex past "<on>" "ø<s>+on" pr) ("<lived on>") IF (1 DET) ;
# You must not smoke: you do not have to is something else.
SUBSTITUTE ("must" vaux inf) ("can" vaux pres) (vaux) IF (1 ("<not>")) ;
# She told me the shop was closed.
ADDCOHORT ("<+that>" "that" cnjsub) BEFORE DET IF (-1 OBJECT) (-2 ("<told>") OR ("<tell>") OR ("<tells>")) (1 N) (2 FINITE) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") DET IF (-1 ("<+that>")) ;
APPEND ("*there") ("<there>") IF (-1 FINITE_VERB) (-2 (prn subj)) (-3 ("<+that>")) ;
SELECT ("*there") ;
# The more you read, the more you learn.
APPEND ("The=more=first=" adv) ("<the>"i) IF (-1 START) (1 ("<more>")) (2 (prn subj)) ;
APPEND ("The=less=first=" adv) ("<the>"i) IF (-1 START) (1 ("<less>")) (2 (prn subj)) ;
APPEND ("the=more=" adv) ("<the>"i) IF (-1 (cm)) (1 ("<more>")) (2 (prn subj)) ;
APPEND ("the=less=" adv) ("<the>"i) IF (-1 (cm)) (1 ("<less>")) (2 (prn subj)) ;
APPEND ("the=better=" adv) ("<the>"i) IF (-1 (cm)) (1 ("<better>")) (2 (prn subj)) ;
SELECT THE_MORE ;
REMCOHORT ("<more>") OR ("<less>") OR ("<better>") IF (-1 THE_MORE) ;
SELECT PRES IF (-1 (prn subj)) (-2 THE_MORE) ;
# The people who live here are friendly: transfer takes the subject for the one of the clause alone.
SUBSTITUTE (pres) (pri p3 pl) (vbser pres) IF (-1** (rel) BARRIER (cm) OR (sent) LINK -1 (n pl)) ;
SUBSTITUTE (past) (pii p3 pl) WERE IF (-1** (rel) BARRIER (cm) OR (sent) LINK -1 (n pl)) ;
# She has just finished, it could not be found, while saving.
SELECT (pp) IF (-1 ("<just>")) (-2 (vbhaver)) ;
APPEND ("cannot=be=" adv) ("<cannot>"i) OR ("<can't>"i) IF (1 ("<be>")) (2 (vblex pp)) (NOT 2 ADJ) ;
APPEND ("could=not=be=" adv) ("<could>"i) IF (1 ("<not>")) (2 ("<be>")) (3 (vblex pp)) (NOT 3 ADJ) ;
SELECT NOT_BE ;
REMCOHORT ("<be>") IF (-1 ("cannot=be=")) ;
REMCOHORT ("<be>") IF (-2 ("could=not=be=")) ;
REMCOHORT ("<not>") IF (-1 ("could=not=be=")) ;
SUBSTITUTE (ger) (inf) (ger) IF (-1 BEFORE_INF) ;
SUBSTITUTE (pp) (inf) (pp) IF (-1 NOT_BE) ;
SELECT INF OR (vbser inf) IF (-1 BEFORE_INF OR NOT_BE) ;
# An error opening the file: while it is opened.
ADDCOHORT ("<while>" "while" cnjadv) BEFORE (ger) IF (-1 ("error") OR ("problem")) (-2 DET) (1 DET OR THIS OR NAME OR N) ;
SUBSTITUTE (ger) (inf) (ger) IF (-1 ("<while>")) (-2 ("error") OR ("problem")) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") INF IF (-1 ("<while>")) (-2 ("error") OR ("problem")) ;
SELECT INF IF (-1 ("<while>")) (-2 ("error") OR ("problem")) ;
# They keep talking: transfer makes an infinitive of it behind other verbs than be.
SUBSTITUTE ("keep" vblex) ("keep=" vbser) ("keep") - (pp) IF (1 (ger)) (NOT 0 (inf)) ;
SUBSTITUTE ("keep" vblex pres) ("keep=" vbser pres) ("keep") IF (1 (ger)) (-1 (prn subj) OR (n pl)) ;
SELECT (ger) IF (-1 ("keep=")) ;
# She has already left, have you ever seen it, there is no milk left.
SELECT (pp) IF (-1 ("<already>") OR ("<ever>") OR ("<never>")) (-2 (vbhaver)) ;
MOVE ("<already>") OR ("<never>") (-1 (vbhaver)) (1 (pp)) BEFORE (-1 (vbhaver)) ;
MOVE ("<ever>") (-1 (vbhaver)) (1 (pp)) (1* ("<?>")) AFTER (1 (pp)) ;
REMCOHORT ("<left>") IF (1 (sent)) (-1 N) (-1* ("<there>"i) BARRIER (sent)) ;
# March 3, 2026: 3 March 2026. In August, last summer.
REMCOHORT (cm) IF (1 YEAR) (-1 DAY_OF_MONTH) (-2 MONTH) ;
MOVE DAY_OF_MONTH (-1 MONTH) (NOT 1 N OR (pp) OR ("<-.*>"r)) BEFORE (-1 MONTH) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+$1") MONTH IF (-1 DAY_OF_MONTH) (1 YEAR OR (sent) OR (cm)) ;
# What a beautiful day, some water, all of us.
REMCOHORT ("<a>") OR ("<an>") IF (-1 ("<what>"i)) (-2 START) ;
APPEND ("a=bit=" adv) ("<some>"i) IF (1 MASS) (NOT 1 (pl)) ;
SELECT ("a=bit=") ;
APPEND ("*all") ("<all>"i) IF (1 ("<of>")) (2 OBJECT) ;
APPEND ("*both") ("<both>"i) IF (1 ("<of>")) (2 OBJECT) ;
APPEND ("*some") ("<some>"i) IF (1 ("<of>")) (2 OBJECT) ;
APPEND ("*many") ("<many>"i) IF (1 ("<of>")) (2 OBJECT) ;
APPEND ("*neither") ("<neither>"i) IF (1 ("<of>")) (2 OBJECT) ;
SELECT OF_THEM ;
SUBSTITUTE (obj) (subj) (prn obj) IF (-2 OF_THEM) (1 FINITE OR V OR (vaux)) ;
SELECT (subj) IF (-2 OF_THEM) ;
REMCOHORT ("<of>") IF (-1 OF_THEM) (1 (subj)) ;
# The book was written by her: the transfer rules make a state of a passive, so an unknown verb takes the place of "be".
SUBSTITUTE (".*"r vbser past p1 p3 sg) ("be=" vblex past) (vbser past) IF (1 (pp)) (NOT 1 LASTING OR ADJ) (-1 N OR (prn)) ;
SUBSTITUTE (".*"r vbser past p1 p3 sg) ("be=" vblex past) (vbser past) IF (1 (pp)) (2 ("<by>")) ;
SUBSTITUTE ("be" vbser) ("be=" vblex) (vbser pri) IF (1 (pp)) (1 PASSIVE) (-1 N OR (prn)) ;
SUBSTITUTE ("be" vbser) ("be=" vblex) (vbser pres) IF (1 (pp)) (1 PASSIVE) (-1 N OR (prn)) ;
SELECT (pp) IF (-1 ("be=")) ;
# I got your message: an imperfect otherwise.
SUBSTITUTE ("get") ("receive") ("get") IF (0 (past)) (NOT -1 (vbhaver)) (1* MESSAGE BARRIER V OR (pr)) ;
SUBSTITUTE ("get") ("obtain") ("get") IF (0 (past)) (NOT -1 (vbhaver)) (1 DET) ;
${THERE_QUESTIONS}SUBSTITUTE (${ANY_PRONOUN}) ("do" vbdo past) (prn subj) IF (-1 (prn subj)) (1 (vblex past)) (2 SPOKEN_TO) ;
SUBSTITUTE (${ANY_PRONOUN}) ("do" vbdo pri p3 sg) (prn subj) IF (-1 (prn subj)) (1 (vblex pri)) (2 SPOKEN_TO) ;
SUBSTITUTE (${ANY_PRONOUN}) ("do" vbdo pres) (prn subj) IF (-1 (prn subj)) (1 (vblex pres)) (2 SPOKEN_TO) ;
SELECT (vbdo) IF (0 (vbdo)) (-1 (prn subj)) (2 SPOKEN_TO) ;
SUBSTITUTE (past) (inf) (past) IF (-1C (vbdo)) (1 SPOKEN_TO) ;
SUBSTITUTE (pri p3 sg) (inf) (pri) IF (-1C (vbdo)) (1 SPOKEN_TO) ;
SELECT INF IF (-1C (vbdo)) (1 SPOKEN_TO) ;
`;

/** Rules that choose readings, once new words and joined particles are in place. */
export const READING = String.raw`
# Changes saved, sites removed from spam, account created successfully, currently approved.
SELECT (pp) IF (0 DONE) (0 (pp)) (-1 N) (1 (sent) OR (cm) OR (pr) OR (adv)) (NEGATE -1* (det) OR (prn) OR (np) OR (cnjsub) OR (rel)) (NEGATE -1*C V OR FINITE) (NEGATE 1* V OR FINITE OR (vaux) OR NOT_BE OR ("<cannot>")) ;
SELECT (pp) IF (0 (past)) (0 (pp)) (-1 (adv)) (-2 (vbser)) ;
SELECT (pp) IF (0 (past)) (-1 (".*=no="r)) (1 N) ;
REMOVE V IF (0 N) (-1 ("there.*=no="ri)) (NOT 1 N) ;
SELECT (pp) IF (0 DONE) (0 (pp)) (-1 N) (1 ("<by>")) ;
SELECT (pp) IF (0 DONE) (0 (pp)) (-1 START) (1C N) ;
SELECT N IF (-1 START) (1 DONE) (1C (pp)) ;
MOVE DONE (0C (pp)) (-1 N) (-2 START) (NEGATE 1* V OR FINITE OR (vaux) OR NOT_BE) BEFORE (-1 N) ;
MOVE DONE (0C (pp)) (-1 N) (-2 ADJ) (-3 START) (NEGATE 1* V OR FINITE OR (vaux) OR NOT_BE) BEFORE (-2 ADJ) ;
SUBSTITUTE ("([^>]*)"r) (VSTR:"ø<s>+%l$1") N OR ADJ IF (-1 DONE) (-1C (pp)) (-2 START) ;
# This seat, who is that man, repeat that.
SELECT (det dem) IF (0 THIS) (1 N) (NOT 1 (vblex pri) OR (vaux)) (NOT 1 ("like")) (NOT -1 ("<does>") OR ("<did>")) ;
REMOVE V IF (-1 THIS) (0 N) (NOT 0 (vblex pri)) ;
SELECT (det dem) IF (0 THAT) (-1 (vbser)) (1 N) ;
SELECT (prn) IF (0 THAT) (-1 V OR (pr)) (1 (sent) OR (cm) OR (adv)) ;
SELECT (pr) IF (0 ("since"i)) (1 NUM OR ("last=.*"r) OR ("<[A-Z].*day>"r) OR ("<yesterday>") OR ("<then>") OR ("<today>")) ;
SELECT (pr) IF (0 ("since"i) OR ("before"i)) (1 N OR NUM) (2 (sent) OR (cm) OR (prn)) ;
SELECT (pr) IF (0 ("about")) (-1 N) (1 N) ;
SELECT (pp) IF (0 (past)) (0 (pp)) (-1 N) (-2 (vbser)) (1 (sent)) ;
SELECT (pr) IF (0 ("near"i)) (1 DET OR (np) OR OBJECT) ;
SELECT N IF (0 ("television") OR ("student")) (NOT 1 N) ;
SELECT INF IF (-1 ("we=would=like=to="i) OR (".*=love=to="r) OR ("I=would=like=to=") OR ("would=like=to=")) ;
REMOVE (adv) IF (0 ("some"i)) (1 N) ;
SELECT (pl) IF (0 ("data")) (NOT 1 (p3 sg)) ;
SELECT ADJ IF (0 ("good") OR ("<low>")) (-1 (vbser)) ;
REMOVE (vbdo) IF (0 ("do"i vblex)) (-1 (vaux) OR (vbmod) OR ("to")) ;
SELECT ADJ IF (0 ("<right>") OR ("<wrong>")) (-1 (vbser)) (1 (sent) OR (cm)) ;
SELECT (adv) IF (0 ("<too>")) (1 (sent) OR (cm)) ;
REMOVE (np) IF (0 MONTH OR SEASON) (NOT 1 (np)) (NOT -1 (np) OR (n)) ;
SELECT N IF (0 MONTH) (-1 (pr) OR NUM OR (ord) OR ("last"i) OR ("next"i) OR ("this"i)) ;
SELECT N IF (0 SEASON OR MONTH) (-1 START) (1 (vbser) OR (sent) OR NUM) ;
SELECT N IF (0 SEASON OR ("<March>")) (-1 START) (1 N) (NOT 1 DET) ;
SELECT (pr) IF (0 ("on"i) OR ("since"i) OR ("until"i)) (1 DAY_OF_MONTH OR MONTH OR ("last=.*"r)) (1 MONTH OR ("last=.*"r) OR ("<[0-9].*>"r) LINK NOT 1 N - MONTH) ;
SELECT (adv) IF (0 ("only"i)) (-1 START) (1 (n pl) OR (prn) OR DET) ;
# The project started in 2019 and ended in 2021.
SELECT (vblex past) IF (0 (pp)) (NOT 0 ("<left>")) (-1 N LINK -1* NEAR BARRIER (*) - N - ADJ - (ord) LINK -1 BEGINS OR (cnjsub) OR (cnjadv)) (NOT 1 ("<by>")) (NEGATE 1* FINITE OR (vblex pri) BARRIER (cm) OR (cnjcoo) OR (cnjsub) OR (cnjadv)) ;
SELECT (pp) IF (0 (past)) (-1 AND) (NOT 1 OBJECT) (-2* (pp) BARRIER (sent) OR (prn subj) OR (cnjsub) LINK -1 (vbhaver) OR (vbser) OR ("be=")) ;
SELECT (vblex past) IF (0 (pp)) (-1 AND) (-2*C (vblex past) BARRIER (sent) OR (cm) OR (vbser) OR (vbhaver)) (NOT 1 ("<by>")) ;
SELECT OBJECT IF (0 ("<her>")) (NOT 1 N OR ADJ OR NUM OR (ger)) ;
SELECT ADJ IF (0 (ger)) (-1 ("<.*more>"r) OR ("<most>") OR ("<very>") OR ("<so>") OR ("<too>")) (NOT 1 DET) ;
SELECT INF IF (-1 ("<to>")) (1 (det pos)) (NOT -2 ("<be>"i)) ;
REMOVE ("students"i n) ;
REMOVE ("included"i adj) IF (NOT 1 N) ;
REMOVE ("recommended"i adj) IF (NOT -1 (vbser)) ;
SELECT (pp) IF (0 ("<recommended>"i)) (-1 START) ;
SELECT (ger) IF (0 ADJ) (-1C (pr)) (NOT 1 N) ;
SELECT (ger) IF (0 (ger)) (0 ADJ OR N) (-1 START) (1 (pr) OR DET OR ("from=.*"r)) (1* FINITE OR (vblex pri)) ;
SELECT N IF (0 ("<.*ing>"r)) (0 OFFERED) (-1 START) (1 (vbser)) ;
SUBSTITUTE (ger) (inf) (ger) - N IF (NOT 0C N) (-1 START) (1 DET OR (pr) OR (vbser) OR ("from=.*"r)) (1* FINITE OR (vblex pri)) (NEGATE 1* (cm)) ;
SELECT INF IF (0 ("<.*ing>"r)) (NOT 0 ("bring"i) OR ("ring"i) OR ("sing"i) OR ("swing"i)) (-1 START) ;
SELECT (adj pos) IF (0 ("<mine>")) (-1 (vbser)) ;
SELECT (prn) IF (0 THIS) (-1 V) (1 (adv) OR (preadv) OR (sent) OR (cm) OR (pr)) (NOT 1 N OR ADJ) ;
SELECT N IF (0 LANGUAGE) (-1 V OR (pr) OR (adv)) (NOT 1 N OR ADJ) ;
REMOVE ADJ IF (0 ("news"i)) (NOT 1 N) ;
SELECT (pl) IF (0 ("news"i)) (NOT 1 (p3 sg)) (NOT -1 (p3 sg)) (NOT -2 (p3 sg)) ;
SELECT (vblex pri) IF (-1 (rel)) (-2 N) (1 (sent)) ;
# The film starts, before the film starts.
SELECT (vblex pri) IF (-1 (n sg)) (-2 DET) (-3 (cnjadv) OR (cnjsub)) (1 (sent) OR (cm)) ;
SELECT (cnjadv) IF (0 ("before"i)) (3 (vblex prs)) ;
SELECT INF IF (-1 ("be# about to") OR (vbmod)) ;
SELECT N IF (0 ("home")) (-1 ("<at>")) ;
REMOVE (vbhaver) IF (0 ("have"i vblex)) (1 ("<just>") OR ("<only>")) (2 NUM OR DET) ;
REMOVE V IF (0 N) (-1 NUM) (-2 (pr) OR ("<just>") OR ("<only>")) ;
REMOVE (vbhaver) IF (0 ("have"i vblex)) (1 DET OR NUM OR ("<at least>") OR ("any=questions="i) OR ("a=.*"r) OR ("air=.*"r)) ;
# On Tuesday, until Monday, on that.
SELECT (pr) IF (0 ("on"i)) (1 N OR THIS OR (prn tn)) ;
SELECT (pr) IF (0 ("until"i)) (1 N OR NUM) (2 (sent) OR (cm) OR (adv) OR (cnjcoo) OR (pr)) ;
# More people work from home.
SELECT (pres) IF (0 (n sg)) (-1 ("person" n pl)) (NOT -2 (pr)) (1 (pr) OR DET OR (adv) OR (sent) OR (".*="r)) (NEGATE 1* FINITE OR (pri)) ;
SELECT (vblex pres) IF (0 LOWER) (-1C (n pl)) (NOT -2 DET OR (pr) OR V) (1 (pr)) (2 MONTH OR SEASON) (3 (sent)) ;
SELECT (vblex pres) IF (0 LOWER) (-1 (n pl)) (-2 START) (1 (pr)) (2 MONTH OR SEASON) (3 (sent)) ;
REMOVE (vblex pri) IF (0 N) (-1C (n pl)) (-2 DET) (-3 BEGINS) ;
# This site uses cookies, the cat drinks milk, the bus stops here: not the stops of the bus.
SELECT (vblex pri) IF (-1 (n sg)) (-2 NEAR) (1 (n pl)) (NOT 1 V) (NEGATE 1* FINITE) (NEGATE -1* FINITE) ;
SELECT (vblex pri) IF (0 LOWER) (-1 MASS) (-2 START) (1 (pr) OR (adv)) (NEGATE 1* FINITE BARRIER (cm)) ;
SELECT (vblex pri) IF (0 LOWER) (-1 (n sg) LINK -1* NEAR BARRIER (*) - N - ADJ - (ord) LINK NOT 0 (pl) LINK -1 BEGINS OR (cnjsub) OR (cnjadv) OR ("<.* that>"r)) (NOT 1C V) (NOT 1 (rel)) (NEGATE 1 (sent) LINK NOT -1 INTRANSITIVE) (NEGATE 1 V LINK 1 DET OR OBJECT OR THAT OR (cnjsub) OR (adv)) (NEGATE 1 ("<close>") OR ("<open>") LINK 1 (pr)) (NEGATE 1 ("<need>") OR ("<help>") OR ("<include>") OR ("<show>") LINK 1 N) (NEGATE 1* FINITE OR (".*be=.*"r) BARRIER (cm) OR (cnjcoo) OR (cnjsub) OR (rel)) ;
SELECT (vblex pres) IF (0 LOWER) (-1C (n pl) LINK -1* NEAR BARRIER (*) - N - ADJ - (ord) LINK -1 BEGINS OR (cnjsub) OR (cnjadv) OR ("<.* that>"r)) (NOT 1C V) (NOT 1 (rel)) (NEGATE 1 (sent) LINK NOT -1 INTRANSITIVE) (NEGATE 1 V LINK 1 DET OR OBJECT OR THAT OR (cnjsub) OR (adv)) (NEGATE 1 ("<close>") OR ("<open>") LINK 1 (pr)) (NEGATE 1 ("<need>") OR ("<help>") OR ("<include>") OR ("<show>") LINK 1 N) (NEGATE 1* FINITE OR (vblex pri) OR (".*be=.*"r) BARRIER (cm) OR (cnjcoo) OR (cnjsub) OR (rel)) ;
${QUESTION_READINGS}# The train leaves at nine.
SELECT (vblex pri) IF (-1 (n sg)) (-2 DET OR (ord)) (1 (pr) OR DET OR ("at=.*"r)) (NEGATE 1* FINITE) (NEGATE -1* FINITE) ;
SELECT (pr) IF (0 ("about"i)) (1 OBJECT OR DET OR (prn)) ;
SELECT (pr) IF (0 ("about")) (-1 ("talk") OR ("think") OR ("learn") OR ("hear") OR ("know") OR ("worry")) ;
${NO_QUESTION_READINGS}REMOVE ("coming"i adj) OR ("car"i adj) ;
SELECT (vblex past) IF (-1 (prn subj)) (-2 ("<+that>")) ;
# A friend of mine lives here, this soup tastes good, wait outside, in the north, long and dark.
SELECT (vblex pri) IF (-1 (".*=of=mine="r) OR (".*=of=yours="r)) ;
SELECT (vblex pri) IF (-1 (n sg)) (-2 THIS OR DET) (1 ADJ) (2 (sent) OR (cm)) (NOT 0 (n sg)) ;
SELECT (adv) IF (0 ("outside") OR ("inside")) (1 (sent) OR (cm)) (-1 V OR OBJECT) ;
SELECT N IF (0 ("<north>"i) OR ("<south>"i) OR ("<east>"i) OR ("<west>"i)) (-1 ("<the>"i)) (NOT 1 N OR ADJ) ;
SELECT ADJ IF (0 ("<long>")) (-1 (vbser)) (1 (cnjcoo) OR (sent) OR (cm)) (NOT 1 ("<before>")) ;
SELECT ADJ IF (0 ADJ) (-1 ("<and>")) (-2C ADJ) (-3 (vbser)) (1 (sent) OR (cm)) ;
REMOVE (pp) IF (0 (past)) (-1 ("then"i)) (-2 (cnjcoo)) ;
SELECT (vblex pri) IF (0 ("<plays>")) (-1 ("music") OR ("song") OR ("band") OR ("radio") OR ("video")) ;
SELECT (vblex past) IF (0 ("<happened>")) (-1 ("<what>"i)) ;
# What happened, the house where I was born.
SELECT (vblex past) IF (-1 ("<what>"i) OR ("<who>"i)) (0 (pp)) (NOT -2 V OR (pr)) ;
SELECT (vblex pres) IF (0 ("stop"i) OR ("keep"i)) (-1 BEGINS) (1 (ger) OR INF) ;
# The man who came, the man that works here, it never works, when I came.
SELECT (rel) IF (0 ("who"i)) (-1 N OR (prn tn)) (NOT -1 (obj) OR ("wonder")) ;
SELECT (vblex pri) IF (-1 THAT) (-2 PERSON) (0 N) ;
SELECT (rel) IF (0 THAT) (-1 PERSON) (1 (vblex pri)) ;
SELECT (vblex) IF (0 N) (-1 OFTEN) (-2 (prn subj) OR (n sg)) (NOT -3 (prn subj) OR V) ;
SELECT (rel) IF (0 ("which"i)) (-1 N OR (cm)) ;
SELECT (itg) IF (0 ASKED) (-1 START) (1* ("<?>")) ;
SELECT (rel) IF (0 ("where"i)) (NEGATE 1* ("<?>")) ;
SELECT (cnjadv) IF (0 ("when"i)) (1 (prn) OR DET OR THIS OR N) (NEGATE 1* ("<?>")) ;
SELECT (det qnt) IF (0 ("more"i)) (1 N) ;
SELECT N IF (-1 NEAR) (-2C WITH_PARTICLE) (1 (sent) OR (cm)) ;
REMOVE V IF (-1C DET) (0 N OR ADJ) ;
SELECT INF IF (-1 ("to"i pr)) (-2 BEFORE_TO) ;
SELECT INF IF (-1 AND) (-2 INF) (-3 (vaux) OR ("to") OR (vbmod)) ;
REMOVE N OR ADJ IF (-1 (vbmod) OR (vaux)) (0 V) ;
REMOVE N OR ADJ IF (-1C (prn subj)) (0 V) ;
REMOVE N OR ADJ IF (-1 ("<you>"i) OR ("<I>")) (0 V) ;
SELECT (adv) IF (0 PLEASE) (-1 START OR (cm)) ;
SELECT (adv) IF (0 PLEASE) (1 (sent)) ;
# Save: a single word is the label of a button. Several words are a request.
SELECT INF IF (-1 START) (0 ORDER) (1 ("<.>")) ;
SELECT INF IF (-1 BEGINS) (0 ORDER) (1 OBJECT) ;
SELECT INF IF (-1 BEGINS) (0 IRREGULAR) (1 DET OR OBJECT OR NEXT) ;
SELECT PRES IF (-1 BEGINS) (0 INF) (1 DET OR PARTICLE) ;
SELECT PRES IF (-1 BEGINS) (0 ORDER) (0 INF) (1 NEXT) ;
SELECT PRES IF (-1 BEGINS) (0 JOINED) (0 INF) (NOT 1 (sent)) ;
`;
