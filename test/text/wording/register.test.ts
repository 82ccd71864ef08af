import fc, { codePoint } from '../../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import { inRegister, ruledForms, type RuledForm } from '../../../server/text/wording/register.ts';

/** Texts of the beginnings and ends of what the rules match. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom("It's ", 'it', "'s", '’', "'", '"', '“', '»', '«', '`', '```', '(', ')', '>'),
      fc.constantFrom('Basically, ', 'well, ', 'I ', 'am ', 'gonna ', 'be ', 'a ', 'to ', 'x. '),
      fc.constantFrom("Let's ", "don't ", 'will ', 'not ', 'prior ', 'in order ', '; it is ', '\n'),
      fc.string({ unit: codePoint, maxLength: 8 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('styles and tones by rule', () => {
  it.each<[RuledForm, string, string]>([
    ['business', "We can't come, and I'm sorry.", 'We cannot come, and I am sorry.'],
    ['business', "It's a pity. It's been long.", 'It is a pity. It has been long.'],
    ['business', "She's never been to Rome.", 'She has never been to Rome.'],
    ['business', "It's raining, and he's late.", 'It is raining, and he is late.'],
    ['business', "What's the matter? That's why.", 'What is the matter? That is why.'],
    ['business', "Don't you agree? We don’t.", "Don't you agree? We do not."],
    [
      'business',
      "People who don't eat, but can't stop.",
      'People who do not eat, but cannot stop.',
    ],
    [
      'business',
      "We don't sell online and the shop can't deliver!",
      'We do not sell online and the shop cannot deliver!',
    ],
    [
      'business',
      "The courier didn't come because the driver couldn't. If the shop can't, what then?",
      'The courier did not come because the driver could not. If the shop cannot, what then?',
    ],
    [
      'business',
      "They can't, and won't, pay. If you can't attend, don't worry.",
      'They cannot, and will not, pay. If you cannot attend, do not worry.',
    ],
    [
      'business',
      "Can't wait to see you! Can't we go? The big don'ts.",
      "Cannot wait to see you! Can't we go? The big don'ts.",
    ],
    [
      'business',
      "I'd like to say that they'd never seen it, and he'd let us in.",
      "I would like to say that they had never seen it, and he'd let us in.",
    ],
    [
      'academic',
      "Who's there? How's it going? Here's a list of things. Here's the figures.",
      "Who is there? How is it going? Here is a list of things. Here's the figures.",
    ],
    [
      'business',
      "So let's begin. Y'all are welcome. I'D LIKE THAT.",
      "So let us begin. You all are welcome. I'D LIKE THAT.",
    ],
    ['business', 'Basically, they wanna play.', 'They want to play.'],
    ['business', "Let's meet. LET'S MEET. Let us know.", "Let us meet. LET'S MEET. Let us know."],
    ['business', 'Thanks for coming. Thanks all.', 'Thank you for coming. Thanks all.'],
    ['business', 'Get in touch with us prior to June.', 'Contact us before June.'],
    ['business', "He'll come; it's gonna rain.", 'He will come; it is going to rain.'],
    ['academic', 'Frankly, you’ll see that it works.', 'You will see that it works.'],
    ['casual', 'I am sure that they will not come.', "I'm sure that they won't come."],
    ['casual', 'It is not only cold, it is wet.', "It's not only cold, it's wet."],
    [
      'casual',
      'He asked what it is like; he is older than I am now.',
      'He asked what it is like; he is older than I am now.',
    ],
    ['casual', 'If it is possible, I will call you.', "If it's possible, I'll call you."],
    ['casual', 'We have seen it. They do not know.', "We've seen it. They don't know."],
    ['simple', 'In order to win, utilise an assistant.', 'To win, use an assistant.'],
    ['simple', 'He left due to the fact that it rained.', 'He left because it rained.'],
    ['simple', 'In numerous cases we can assist you.', 'In many cases we can help you.'],
    ['simple', 'It takes approximately 5 minutes.', 'It takes roughly 5 minutes.'],
    ['simple', 'Consequently, many people left.', 'So, many people left.'],
    [
      'simple',
      'The council will close the old library in the centre of the town next year; it is far too small, and nobody wants to pay for it.',
      'The council will close the old library in the centre of the town next year. It is far too small, and nobody wants to pay for it.',
    ],
    ['confident', 'I just wanted to thank you for it.', 'I wanted to thank you for it.'],
    [
      'confident',
      'I was wondering if you could send me the file.',
      'I would like to know if you could send me the file.',
    ],
    ['confident', 'Honestly, the plan works.', 'The plan works.'],
    ['friendly', 'Thank you for your help.', 'Thanks for your help.'],
    ['friendly', 'Please do not hesitate to call.', 'Feel free to call.'],
    ['friendly', 'Dear Sir or Madam,\nIt is a joy.', "Hello,\nIt's a joy."],
  ])('rewrite as %s: %j', (form, text, expected) => {
    expect(inRegister(text, form)).toBe(expected);
  });

  it.each([
    // `'s` is or may be `has`.
    "He's always wanted a dog.",
    "She's also worked here.",
    "It's still rained every day.",
    "He's not wanted it for long.",
    "There's no-one come so far.",
    "He's in the past been late.",
    "He's at last found it.",
    "Where's the train been?",
    "What's the cat done? What's your brother bought?",
    "He's quite a collection of stamps.",
    "He's good reasons for it, and she's better things to do.",
    "He's to be there by nine.",
    "There's a couple of issues, and there's a few more.",
    "She let's him go.",
    // A verb before its subject, or a noun.
    "Don't people know? Doesn't time fly!",
    "I wonder why don't they come.",
    "Who don't you like?",
    // Stressed `is` and `will`, or ones whose subject is not the pronoun.
    'There it is. Here he is now. There they are again.',
    'There it is a custom.',
    'However good it is, wherever they are a danger, so it is a rule.',
    'I will and you did not.',
    'I will be if she will.',
    'All of you are the best, and people like you are the reason.',
    'The man next to you will go. You and I will go.',
    'The man I am today is another one.',
    'Knowing it is a burden.',
    'IT is a department. I AM a doctor. Do NOT touch it.',
    'I have indeed. We have limited funds.',
    // `not` belongs to the following words.
    'It was all I could do not to laugh.',
    'The trick is not to look down. The best thing about it is not having to pay.',
    'The limit is not more than five.',
    'Her will not being found, they went home.',
    // Other meanings of a phrase.
    'He stayed for a couple of years.',
    'The goat kids in May, and the kids jump about.',
    "They'd found out about it.",
    'He had an assist in the second half.',
    'The same rules obtain in Spain.',
    'The workers demonstrate that day in the square.',
    'He sat regarding the sea.',
    'The more numerous party won. They were numerous.',
    'It may have the ability to fly.',
    'The derivative with respect to time is small in relation to length.',
    "In the event of the buyer's death, the contract ends.",
    'In the event that followed, two were hurt.',
    'He refused in order to protect her. We asked them in order to learn.',
    'His papers were in order to the last page.',
    'The method he utilised to win was new. He sold a utilised car.',
    'His endeavour to please failed.',
    'He was consequently ill. She was nevertheless and furthermore glad.',
    'She was first and foremost a mother.',
    'They were paid on a daily basis. Payment is on a regular basis.',
    'A large number of the files was lost. A large number of them left.',
    'They made a decision that he regretted. Make a decision tree.',
    'This comes despite the fact that he left.',
    'He won, this despite the fact that he was ill.',
    'It closed due to the fact that the wall was damaged and that the rent was unpaid.',
    'We lost, partly due to the fact that we moved and partly to the strike.',
    'The rules that may obtain the following year are these.',
    'Workers demonstrate that the government must go.',
    'It failed due to the fact that it was late and to bad weather.',
    'The ship is right away from the coast.',
    'It was in a way better than the other.',
    'It was pretty much everyone, and really important.',
    'The last putt was a gimme. Wanna beer?',
    'He left with many thanks. Many thanks to Anna.',
    'Thanks for this go to Anna.',
    'Get in touch with nature. She set up a meeting yesterday.',
    'At the info desk he read the info page. An asap answer was sent.',
    'The file resides in a folder. They had ascertained the facts.',
    // Resembles a filler or a hedge.
    'Turn left, I mean, right.',
    'He spoke openly, frankly, and at length.',
    'If you ask me, I answer. You know, I know, we all know.',
    'To be honest, it takes courage. They wanted to be rich, to be honest, and to rest.',
    'She was wondering if he was alive.',
    'I was wondering if you could hear me when the light went out.',
    'I think the plan works. In my opinion, it works, I guess.',
    'I just wanted to go home.',
    'They never hesitate to ask. May we look forward to hearing from you?',
    'He remained yours faithfully and in haste.',
    // Names, titles and headings.
    'Prior To Departure. The film In Order To Win and the firm Utilise won.',
    // A sentence whose parts depend on each other.
    'If the tenant has not paid the rent for two months, and he has been told twice in writing, the owner has the right to end the contract.',
    'The owner has the right to end the contract at the end of any month, and he is free to let the house again, unless the tenant pays.',
    'The minister said the council had closed the old library in the centre of the town, and it was far too small for all the books.',
    'The parties are the seller of the old house in Rome; the buyer of the same old house in Rome; and a notary of the town.',
    'Pay the rent in the first week of each month at the office in the main street, and we are content with you.',
    'You pay the rent in the first week of each month at the office in the main street, and we can leave it at that.',
    'He came in the early morning of the first day of May, he saw the old town, and he left it in the evening.',
    'Did the council close the old library in the centre of the town last year, and is it true that it has found no house?',
  ])('leave %j unchanged in every form', (text) => {
    expect(ruledForms.map((form) => inRegister(text, form))).toEqual(ruledForms.map(() => text));
  });

  it.each([
    `The log says "can't open port 80" and stops.`,
    `The log says 'can't open port 80' and stops.`,
    'A sign said “We don’t know, it’s a secret”.',
    'A sign said ‘We don’t know, it’s a secret’.',
    "Elle dit « it's a pity », il dit »prior to me«, and „we can't“.",
    `He said, "I'm sure\nthat it's a pity."`,
    "> It's a pity. I can't come.",
    `print("oh yeah", it's a test)`,
    "```\nit's a test, I'm sure\n```",
    "The code ``it's a ` sign`` and `can't` ran.",
  ])('leave quotations in %j unchanged', (text) => {
    expect(ruledForms.map((form) => inRegister(text, form))).toEqual(ruledForms.map(() => text));
  });

  it('change text beside quotations', () => {
    expect(inRegister(`The 5" screen isn't called "isn't", it's a 7" one.`, 'business')).toBe(
      `The 5" screen is not called "isn't", it is a 7" one.`,
    );
    expect(inRegister("It's a pity. 'It's mine,' he said. It's a pity.", 'business')).toBe(
      "It is a pity. 'It's mine,' he said. It is a pity.",
    );
  });

  it('leave addresses, code and bracketed text unchanged, and terminate for any text', () => {
    const text = "Run `can't` on https://can't.example/in?order=to, {prior to} <it's a>.";
    for (const form of ruledForms) expect(inRegister(text, form)).toBe(text);
    fc.assert(
      fc.property(hostileText, fc.constantFrom(...ruledForms), (hostile, form) => {
        const once = inRegister(hostile, form);
        expect(inRegister(once, form)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });
});
