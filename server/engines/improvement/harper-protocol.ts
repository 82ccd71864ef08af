/** What the server and the process that runs Harper say to each other, and the rules that are asked. */
import type { FreeRequest } from '../../process/index.ts';

export interface HarperRequest {
  kind: 'lint';
  streamId: number;
  texts: readonly string[];
  variant: 'en-GB' | 'en-US';
}

/** Something that Harper would write otherwise. */
export interface Lint {
  /** In UTF-16 units. */
  start: number;
  end: number;
  /** Harper's word for what it is about: `Spelling`, `Agreement`. */
  kind: string;
  suggestions: readonly { kind: 'replace' | 'remove' | 'insert-after'; text: string }[];
}

/** The lints of the texts, in order; fewer than texts where Harper has failed at the next one. */
export interface HarperAnswer {
  streamId: number;
  lints: readonly (readonly Lint[])[];
  hasFailed: boolean;
}

export type HarperMessage = HarperRequest | FreeRequest;

// The rules of Harper that are asked. Of its 900 most are matters of taste, of region, of
// hyphens, or are right in nine sentences of ten: `what he did ruined it`, `in the last days of
// May`, `say no to it`. Those below look for what is no English in any sentence.

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

/** By Harper's names. */
export const harperRules: ReadonlySet<string> = new Set(rules.trim().split(/\s+/));
