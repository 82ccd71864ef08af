import { expect, it } from 'vitest';
import { findPlaceholders } from '../../server/text/placeholders.ts';

it.each([
  ['Hello {name}, you have {{ count }} messages', ['{name}', '{{ count }}']],
  ["It''s '{'quoted'}', not '{name} is', '{}'", ["'{'", "'}'", '{name}', "'{}'"]],
  [
    'Let $x$ and \\(a+b\\) be $\\alpha$. $5 and $10, US$5=A$7, \\(the car\\), \\[car\\](b), $$\\int a$$',
    ['$x$', '\\(a+b\\)', '$\\alpha$', '$$\\int a$$'],
  ],
  ["$$ Italian. Mario's: $$ Price ($) * number = Total ($), $5 per month + 10$", []],
  ['<b>$5</b> + 10$, \\[a *red* car is good\\]', []],
  ['C:\\new{name}, Hello\\nMary{name}', ['{name}', '{name}']],
  ['&copy; 2024 &bull; caf&eacute; R&D; Tom &amp; Jerry &AMP', ['&copy;', '&bull;']],
  ['{0:N2} of {user.name} and {items[0]}', ['{0:N2}', '{user.name}', '{items[0]}']],
  ['Dear ${first name}, #{title} %{last}', ['${first name}', '#{title}', '%{last}']],
  [
    '%s said %1$d and %-8.2f or %@, %(name)s, $%(cost)-8.2f or %user%, in %1$#@all_files@',
    ['%s', '%1$d', '%-8.2f', '%@', '%(name)s', '%(cost)-8.2f', '%user%', '%1$#@all_files@'],
  ],
  [
    'Costs {price, number, ::currency/EUR} on {0,date} or {a, b}, {now, date and time}',
    ['{price, number, ::currency/EUR}', '{0,date}'],
  ],
  [
    '{% if a < 5 and b["c"] %}Hi <%= name %>{%- end -%}, 5% <% x } %>',
    ['{% if a < 5 and b["c"] %}', '<%= name %>', '{%- end -%}', '<% x } %>'],
  ],
  [
    'Dear *|FNAME|*, *|IF:ORDER|*your %%First Name%% %%order_id%% %%=v(@name)=%%',
    ['*|FNAME|*', '*|IF:ORDER|*', '%%First Name%%', '%%order_id%%', '%%=v(@name)=%%'],
  ],
  ['Welcome :name, (:count) :smile:', [':name', ':count', ':smile:']],
  ['One dog|:count dogs, **:name**, $:amount', [':count', ':name', ':amount']],
  [
    '[caption id="a" width=300]The [b]red[/b] car[/caption] [quote=Jo][url="/a"]Go[/url] [more]',
    [
      '[caption id="a" width=300]',
      '[b]',
      '[/b]',
      '[/caption]',
      '[quote=Jo]',
      '[url="/a"]',
      '[/url]',
    ],
  ],
  [
    'See https://example.org/a_(b)?x=1&y=2. Or www.example.org!',
    ['https://example.org/a_(b)?x=1&y=2', 'www.example.org'],
  ],
  [
    '詳細はhttps://example.org/aをご覧ください。（www.example.org） 请访问https://例子.org/东京，谢谢',
    ['https://example.org/a', 'www.example.org', 'https://例子.org/东京'],
  ],
  [
    'Press $t(common.save, {"count": 2}) or @:common.save. @.lower:(a b)',
    ['$t(common.save, {"count": 2})', '@:common.save', '@.lower:(a b)'],
  ],
  ['Run `npm install` or ``git log``.', ['`npm install`', '``git log``']],
  [
    'So:\n```js\nopen("the door"); `\n```\n> ````\n> a\n> ````\nDone',
    ['```js\nopen("the door"); `\n```', '> ````\n> a\n> ````'],
  ],
  ['~~~\nopen("the door")\n```\n~~~\nDone', ['~~~\nopen("the door")\n```\n~~~']],
  ['So:\n~~~\na\n\nb\n~~~\n~~~ js\na\n~~~', ['~~~\na\n\nb\n~~~', '~~~ js\na\n~~~']],
  ['> [!NOTE]\n> The car.\n:::tip[Red]\nHi\n:::', ['[!NOTE]', ':::tip']],
  ['Write to jane.doe+x@mail.example.org.', ['jane.doe+x@mail.example.org']],
])('finds the placeholders in %j', (text, expected) => {
  expect(findPlaceholders(text).map(({ start, end }) => text.slice(start, end))).toEqual(expected);
});

it.each([
  'We are 100% sure, 50% discount, 50%d of it, 5 %, %sure, %(total) a day',
  'Up to 100%% sure, 50%%off and 20%% more, **|a||b|**',
  'A set {a, b} and { braces } and {}',
  'At 10:30, note: this; a::b, :D and :)',
  'me @ home, @someone, $t (x), 5@: 3 < 4 and 5/6 http is fine',
  'Price: $5 {see the note}',
  "It`s the dog`s, ``so'' and ``so'', `so' and `so'; a ` b ` c",
  '```\nopen the door\n```js',
  '[sic], [Note: see page 5], [see](/a), [ref=1](/b), [1/2] and a[i] = b[j]',
  'One.\n\n~~~\n\nTwo.\n\n~~~\nThree.\n\n~~~\n\nFour.\n~~~\nFive.\n~~~ The end ~~~\nSix.\n~~~',
  'Use\n~~~\nThe car.\n\nBuy\n~~~\nThe dog.',
  '**Note**:read this [laughs ]',
  'From <5% to >6%, {5%} or {% of\nit %}',
])('takes %j for prose', (text) => {
  expect(findPlaceholders(text)).toEqual([]);
});
