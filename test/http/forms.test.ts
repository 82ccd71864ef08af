import fc from '../support/suite/properties.ts';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import Type from 'typebox';
import { readForm, readLargeForm, useForms } from '../../server/http/forms.ts';

const plain = (form: object) => ({ ...form });

it('reads forms like URLSearchParams', async () => {
  const pairs = fc.array(
    fc.tuple(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
    ),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(pairs, async (entries) => {
      const body = new URLSearchParams(entries).toString();
      const expected: Record<string, string | string[]> = Object.create(null) as typeof expected;
      for (const [name, value] of new URLSearchParams(body)) {
        const earlier = expected[name];
        expected[name] = earlier === undefined ? value : [earlier, value].flat();
      }
      expect(plain(await readLargeForm(body))).toEqual(plain(expected));
    }),
  );
});

it.each(['é', '€', '🙂', 'a€', '%', '+ '])('does not split %j in a long value', async (unit) => {
  const text = unit.repeat(100_000);
  const body = `a=1&entries=${encodeURIComponent(text)}&b=2`;
  expect(await readLargeForm(body)).toEqual({ a: '1', entries: text, b: '2' });
});

it.each(['%', '%zz', '=&=', '&&&', 'a', 'a='])('accepts %j', async (body) => {
  expect(await readLargeForm(body)).toBeTypeOf('object');
});

it('reads a lone percent sign next to letters of any kind', async () => {
  expect(await readLargeForm('a=100%+é%20%C3%B6')).toEqual({ a: '100% é ö' });
});

it.each(['%E2%82', 'a=%F0%9F', 'a=caf%E9'])('refuses invalid UTF-8: %j', async (body) => {
  await expect(readLargeForm(body)).rejects.toMatchObject({ code: 'invalid_request' });
});

it('reads a name repeated thousands of times in order, without blocking the event loop', async () => {
  let turns = 0;
  const turn = setInterval(() => (turns += 1), 0);
  const texts = Array.from({ length: 9_900 }, (_, index) => String(index));
  const { text } = await readLargeForm(texts.map((each) => `text=${each}`).join('&'));
  clearInterval(turn);
  expect(text).toEqual(texts);
  expect(turns).toBeGreaterThan(0);
});

it('takes the last of repeated values, whatever their type', () => {
  const schema = Type.Object({
    flag: Type.Boolean(),
    page: Type.Integer(),
    name: Type.String(),
    text: Type.Array(Type.String()),
  });
  const form = { flag: ['0', 'True'], page: ['1', '2'], name: ['a', 'b'], 'text[]': ['a', 'b'] };
  expect(readForm(form, schema)).toEqual({ flag: true, page: 2, name: 'b', text: ['a', 'b'] });
});

it('joins the values of names that are written in several ways', () => {
  const schema = Type.Object({ text: Type.Array(Type.String()) });
  expect(readForm({ 'text[]': ['a', 'b'], text: 'c' }, schema)).toEqual({ text: ['a', 'b', 'c'] });
  expect(readForm({ 'text[1]': 'c', 'text[0]': 'b', text: 'a' }, schema)).toEqual({
    text: ['a', 'b', 'c'],
  });
});

it('reads queries as leniently as forms', async () => {
  const app = fastify();
  useForms(app);
  const querystring = Type.Object({
    detailed: Type.Optional(Type.Boolean()),
    page: Type.Optional(Type.Integer({ default: 3 })),
  });
  app.get('/', { schema: { querystring } }, async ({ query }) => query);
  const query = async (written: string) => (await app.inject(`/?${written}`)).json<object>();
  expect(await query('detailed=True&page=')).toEqual({ detailed: true, page: 3 });
  expect(await query('detailed=True&detailed=0&page=1&page=2')).toEqual({
    detailed: false,
    page: 2,
  });
  expect(await query('detailed=perhaps')).toHaveProperty('statusCode', 400);
});
