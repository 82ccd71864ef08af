/** The protocol between the server and the process that runs Harper, and the enabled rules. */
import type { FreeRequest } from '../../process/index.ts';

export interface HarperRequest {
  kind: 'lint';
  streamId: number;
  texts: readonly string[];
  variant: 'en-GB' | 'en-US';
}

/** A problem reported by Harper. */
export interface Lint {
  /** Position in UTF-16 units. */
  start: number;
  end: number;
  /** Harper's category: `Spelling`, `Agreement`. */
  kind: string;
  suggestions: readonly { kind: 'replace' | 'remove' | 'insert-after'; text: string }[];
}

/** The lints of the texts, in order; fewer than texts when Harper failed at the next one. */
export interface HarperAnswer {
  streamId: number;
  lints: readonly (readonly Lint[])[];
  hasFailed: boolean;
}

export type HarperMessage = HarperRequest | FreeRequest;

// The enabled rules. Of Harper's 900 rules, most concern taste, regional usage or hyphens, or are right in
// only nine sentences of ten: `what he did ruined it`, `in the last days of May`, `say no to it`. The rules
// below match text that is wrong English in any sentence.

const rules = `
  SpellCheck
  AnA AnAnother AnotherAn AnotherOnes AnotherThings CapitalizePersonalPronouns CorrectNumberSuffix
  DoMistake Discuss EverSince ItsContraction ItsPossessive LetToDo LookingForwardTo ModalOf
  OnesSelf OpenCompounds Payed PronounKnew PronounVerbAgreement SimplePastToPastParticiple SupposedTo The
  TheAnother TheirToThere TheirToTheyre TheTheToThatThe ThenThan ThereOwn
  ThereToTheir TheyreToTheir ToTwoToo TooTo TransposedSpace WayTooAdjective WrongApostrophe

  AfterAll Albeit AllOfASudden AllIntentsAndPurposes AllWellAndGood AdNauseam AsFollows AsLongAs
  AsOpposedTo AsComparedTo AtFaceValue AtLeasToLeast AtLestToLeast ApartFrom BareInMind BatedBreath
  BeenThere BestRegards BetterOffWith CanBeSeen CantWay CaseInPoint CloseTightKnit Copyright
  CuttingAgeEggcorn DampSquib DespiteOf Didnt DigestiveTract DueDiligence EggYolk EludedTo
  EnvironmentVariable EveryTime ExceptOf FairBit FarAndFewBetween FastPaste FirstAidKit FootTheBill
  FormativeYears FreeRein GetRidOf GetUsedTo GoMissing GrindToAHalt HadOf HalfAnHour Haphazard
  HitTheNailOnTheHead HumanBeings HumanLife IAm IAmAgreement IDo InAHurry InDueCourse InHindsight
  InLieuOf InTheFirstPlace InTheSameVein InThe IveGotTo ItCan JawDropping JustDeserts
  KindOf KindRegards LastButNotLeast LetAlone MakeDoWith MakeItSeem MakeSense Misspell Monumentous
  MootPoint MoreThatLikely MyHouse NeedHelp NobelPeacePrize NoLonger NotOnly NowKnownAs
  Nowadays OfCourse OldWivesTale OnSecondThought OnTopOf OnceInAWhile OneAndTheSame OneFellSwoop
  OnesOwnAccord OperatingSystem PassersBy PassionateAbout PeaceOfMind PerSe Piggyback PiqueInterest
  RealTrouper SameAs ScantilyClad ScapeGoat SlipperySlope SneakingSuspicion SneakPeekPreview
  SoughtAfter SpecialAttention SpinalChord StateOfTheArt StatuteOfLimitations StrikeOfLuck
  ThanksALot ThoughtProcess ToBackOut ToLoseTooLoose TrialAndError Unless
  WhetYourAppetite WorstCaseScenario WreakHavoc EveryOnceAndAgain
  Anyhow Itself Nonetheless Somehow Therefore
`;

/** Enabled rules, by Harper's names. */
export const harperRules: ReadonlySet<string> = new Set(rules.trim().split(/\s+/));
